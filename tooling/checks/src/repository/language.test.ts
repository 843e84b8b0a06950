import { globSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAggregator, openBuiltIn } from '@deskside/aggregator';
import { expect, test } from 'vitest';
import { root } from '../workspace.ts';
import { forbiddenPhrases } from './phrases.ts';
import { sources, stringsIn } from './sources.ts';

test.each([
  ['Nobody reads it.', ['line 1: "Nobody"']],
  ['"x" is no date.', ['line 1: "is no"']],
  ['one line\nwhere there\n * is a display', ['line 2: "where there is"']],
  ['There is no display, and the popup is no longer open.', []],
  ['Amend the recommendation of its owner, as it is running.', []],
])('the phrases found in "%s" are %j', (text, found) => {
  expect(forbiddenPhrases(text)).toEqual(found);
});

const documents = globSync(
  [
    '*.md',
    'docs/**/*.md',
    '.changeset/*.md',
    '{packages,apps}/*/*.md',
    '{packages,apps}/*/{package,server}.json',
  ],
  { cwd: root },
).toSorted();

test('the documents to check are found', () => {
  expect(documents).toEqual(
    expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'packages/core/README.md']),
  );
});

test.each(documents)('%s contains no forbidden phrase', (path) => {
  // CONTRIBUTING lists the phrases in a table.
  const text = readFileSync(join(root, path), 'utf8').replace(/^\| Not \| But \|[^]*?\n\n/m, '\n');
  expect(forbiddenPhrases(text)).toEqual([]);
});

test('no string of a product source contains a forbidden phrase', () => {
  const found = sources.flatMap(({ path }) =>
    stringsIn(path).flatMap((text) =>
      forbiddenPhrases(text).map((phrase) => `${path}: ${phrase.replace(/^line \d+: /, '')} in "${text}"`),
    ),
  );
  expect(sources.flatMap(({ path }) => stringsIn(path)).length).toBeGreaterThan(1000);
  expect(found).toEqual([]);
});

test('no tool, parameter, prompt or instruction of a server contains a forbidden phrase', async () => {
  const env = { TODO_DATABASE_URL: ':memory:', MANICTIME_DATA_DIR: tmpdir(), HOME: tmpdir() };
  const opened = openBuiltIn(env);
  const { definition } = await createAggregator(opened);
  // The aggregator shortens the instructions of a server.
  const own = opened.mounts.map(
    ({ id, definition: server }) =>
      [`instructions of ${id}`, server.instructions((name) => name) ?? ''] as const,
  );
  const view = {
    era: 'modern',
    toolName: (name: string) => name,
    principal: { user: 'owner' },
  } as const;
  const texts = {
    instructions: definition.instructions(view.toolName) ?? '',
    ...Object.fromEntries(own),
    ...Object.fromEntries(
      (await definition.listTools(view)).map((tool) => [tool.name, JSON.stringify(tool)]),
    ),
    ...Object.fromEntries(
      (await definition.listPrompts(view)).map((prompt) => [`prompt ${prompt.name}`, JSON.stringify(prompt)]),
    ),
  };
  expect(Object.values(texts).every((text) => text.length > 100)).toBe(true);
  const found = Object.entries(texts).flatMap(([name, text]) =>
    forbiddenPhrases(text.replaceAll(/\\n/g, '\n')).map((phrase) => `${name}: ${phrase}`),
  );
  expect(found).toEqual([]);
});

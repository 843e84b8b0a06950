import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bareNames } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { root, servers, toolsIn } from '../workspace.ts';
import { forbiddenPhrases } from './phrases.ts';
import { sources, stringsIn } from './sources.ts';

const DOCUMENTS = [
  '*.md',
  'docs/**/*.md',
  '.changeset/*.md',
  '{packages,apps}/*/*.md',
  '{packages,apps}/*/{package,server,tools}.json',
];

test.each(globSync(DOCUMENTS, { cwd: root }))('%s has no phrase that stops a reader', (path) => {
  expect(forbiddenPhrases(readFileSync(join(root, path), 'utf8'))).toEqual([]);
});

test('no text of a product for models or people has such a phrase', () => {
  const texts = sources.flatMap(({ path }) => stringsIn(path).map((text) => ({ path, text })));
  expect(texts.length).toBeGreaterThan(1000);
  expect(texts.flatMap(({ path, text }) => forbiddenPhrases(text).map((each) => `${path}: ${each}`))).toEqual(
    [],
  );
});

// Under a mount the name is another one, so a text takes it from toolName('list_screenshots').
test.each(servers)('no text in the sources of $name contains a bare tool name', ({ name, directory }) => {
  const tools = toolsIn(directory).map((tool) => tool.name);
  expect(tools.length).toBeGreaterThan(0);
  // Options are for the standalone program.
  const own = sources.filter(({ owner, path }) => owner.name === name && !path.endsWith('/src/options.ts'));
  const found = own.flatMap(({ path }) =>
    stringsIn(path).flatMap((text) => bareNames(text, tools).map((tool) => `${path}: ${tool} in "${text}"`)),
  );
  expect(found).toEqual([]);
});

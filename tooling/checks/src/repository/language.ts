import { globSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Check, type CheckResult, resultOf } from '../check.ts';
import { root } from '../workspace.ts';
import { forbiddenPhrases } from './phrases.ts';
import { sources, stringsIn } from './sources.ts';

const DOCUMENTS = [
  '*.md',
  'docs/**/*.md',
  '.changeset/*.md',
  '{packages,apps}/*/*.md',
  '{packages,apps}/*/{package,server}.json',
];

/** No text for models or people contains a forbidden phrase. */
export const language: Check = {
  name: 'language',
  run: async () => [
    ...globSync(DOCUMENTS, { cwd: root }).toSorted().map(checkDocument),
    checkStrings(),
    await checkDefinitions(),
  ],
};

function checkDocument(path: string): CheckResult {
  return resultOf(path, forbiddenPhrases(readFileSync(join(root, path), 'utf8')));
}

function checkStrings(): CheckResult {
  const found = sources.flatMap(({ path }) =>
    stringsIn(path).flatMap((text) =>
      forbiddenPhrases(text).map((phrase) => `${path}: ${phrase.replace(/^line \d+: /, '')} in "${text}"`),
    ),
  );
  return resultOf('strings of product sources', found);
}

/** Loads the packages, which need the page bundles that the build writes. */
async function checkDefinitions(): Promise<CheckResult> {
  const { createAggregator, openBuiltIn } = await import('@deskside/aggregator');
  const env = { TODO_DATABASE_URL: ':memory:', MANICTIME_DATA_DIR: tmpdir(), HOME: tmpdir() };
  const opened = openBuiltIn(env);
  const { definition } = await createAggregator(opened);
  const view = {
    era: 'modern',
    toolName: (name: string) => name,
    principal: { user: 'owner' },
  } as const;
  const texts = {
    instructions: definition.instructions(view.toolName) ?? '',
    // The aggregator shortens the instructions of a server.
    ...Object.fromEntries(
      opened.mounts.map(({ id, definition: own }) => [
        `instructions of ${id}`,
        own.instructions((name) => name) ?? '',
      ]),
    ),
    ...Object.fromEntries(
      (await definition.listTools(view)).map((tool) => [tool.name, JSON.stringify(tool)]),
    ),
    ...Object.fromEntries(
      (await definition.listPrompts(view)).map((prompt) => [`prompt ${prompt.name}`, JSON.stringify(prompt)]),
    ),
  };
  const short = Object.entries(texts).filter(([, text]) => text.length <= 100);
  const found = Object.entries(texts).flatMap(([name, text]) =>
    forbiddenPhrases(text.replaceAll(/\\n/g, '\n')).map((phrase) => `${name}: ${phrase}`),
  );
  return resultOf('tools, prompts and instructions', [
    ...found,
    ...short.map(([name]) => `${name}: no text`),
  ]);
}

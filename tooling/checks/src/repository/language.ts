import { globSync, readFileSync } from 'node:fs';
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
  '{packages,apps}/*/{package,server,tools}.json',
];

/** No text for models or people contains a forbidden phrase. */
export const language: Check = {
  name: 'language',
  run: async () => [...globSync(DOCUMENTS, { cwd: root }).toSorted().map(checkDocument), checkStrings()],
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

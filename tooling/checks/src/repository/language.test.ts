import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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

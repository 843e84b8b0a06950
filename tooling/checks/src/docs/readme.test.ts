import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../workspace.ts';

const MAX_WORDS = 900;
const MAX_RECORDING_BYTES = 1_500_000;
const README = readFileSync(join(root, 'README.md'), 'utf8');

test(`README has at most ${MAX_WORDS} words, and no placeholder of a name`, () => {
  expect(README.split(/\s+/).length).toBeLessThanOrEqual(MAX_WORDS);
  expect(README).not.toMatch(/OWNER|NAME\b/);
});

test('README begins with a sentence, a recording and the specifications', () => {
  const [, , recording = '', specifications = ''] = README.split('\n\n');
  const files = [...recording.matchAll(/docs\/pictures\/[\w-]+\.webp/g)].map(([path]) => path);
  expect(files).toHaveLength(2);
  for (const file of files) expect(statSync(join(root, file)).size).toBeLessThanOrEqual(MAX_RECORDING_BYTES);
  expect(specifications).toContain('(docs/conformance.md)');
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../workspace.ts';
import { sources } from './sources.ts';

/** As the formatter writes them: a block that has only a comment is longer. */
const SILENT = /\.catch\(\(\) => (?:undefined|\{\})\)|\bcatch (?:\(\w+\) )?\{\}/;
const COMMENT = /\/\/|\*\//;

/** The lines with a `.catch(() => undefined)` or an empty catch block and no comment on it or on the line before. */
function silentCatches(path: string, text: string): readonly string[] {
  return text
    .split('\n')
    .flatMap((line, index, lines) =>
      SILENT.test(line) && !COMMENT.test(line) && !COMMENT.test(lines[index - 1] ?? '')
        ? [`${path}:${index + 1}: report the error, or say in a comment why silence is right`]
        : [],
    );
}

test('every silent catch of a product has a comment that says why silence is right', () => {
  const found = sources.flatMap(({ path }) => silentCatches(path, readFileSync(join(root, path), 'utf8')));
  expect(found).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { root } from '../workspace.ts';
import { sources } from './sources.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The lines with a `.catch(() => undefined)` or an empty catch block and no comment on it or on the line before. */
function silentCatches(path: string, text: string): readonly string[] {
  const { program, comments } = parseSync(path, text);
  const silent: Span[] = [];
  new Visitor({
    CatchClause({ body }) {
      if (body.body.length === 0) silent.push(body);
    },
    CallExpression({ callee, arguments: [handler] }) {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
      if (callee.property.name !== 'catch' || handler?.type !== 'ArrowFunctionExpression') return;
      const { body } = handler;
      const isUndefined = body.type === 'Identifier' && body.name === 'undefined';
      const isEmpty = body.type === 'BlockStatement' && body.body.length === 0;
      if (isUndefined || isEmpty) silent.push({ start: callee.property.start, end: handler.end });
    },
  }).visit(program);
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  const commented = new Set(comments.map(({ end }) => lineAt(end)));
  return silent
    .map(({ start, end }) => ({ first: lineAt(start), last: lineAt(end) }))
    .filter(({ first, last }) => {
      for (let line = first - 1; line <= last; line += 1) if (commented.has(line)) return false;
      return true;
    })
    .map(({ first }) => `${path}:${first}: report the error, or say in a comment why silence is right`);
}

test('the scan finds silent catches, and accepts those with a comment', () => {
  const text = [
    'work().catch(() => undefined);',
    'work().catch(() => {});',
    'try { work(); } catch {}',
    '// The caller gets the error.',
    'work().catch(() => undefined);',
    'try { work(); } catch {',
    '  // The next start.',
    '}',
    'work().catch(() => 1);',
  ].join('\n');
  expect(silentCatches('a.ts', text).map((found) => found.split(':')[1])).toEqual(['1', '2', '3']);
});

test('every silent catch of a product has a comment that says why silence is right', () => {
  const found = sources.flatMap(({ path }) => silentCatches(path, readFileSync(join(root, path), 'utf8')));
  expect(found).toEqual([]);
});

import { expect, test } from 'vitest';
import { BoundedLines } from './bounded-lines.ts';

test('lines are the same however their bytes are divided', () => {
  const bytes = Buffer.from('{"a":"ä😀"}\n\n{"b":1}\nrest');
  for (let size = 1; size <= bytes.length; size += 1) {
    const lines = new BoundedLines(100);
    const found: unknown[] = [];
    for (let start = 0; start < bytes.length; start += size)
      found.push(...lines.split(bytes.subarray(start, start + size)));
    found.push(...lines.split(Buffer.from('\n')));
    const texts = ['{"a":"ä😀"}', '', '{"b":1}', 'rest'];
    expect(found).toStrictEqual(texts.map((text) => ({ kind: 'line', text })));
  }
});

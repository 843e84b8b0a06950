import { expect, test } from 'vitest';
import { Lines } from './lines.ts';

test('lines are the same however their bytes are divided', () => {
  const bytes = Buffer.from('{"a":"ä😀"}\n\n{"b":1}\nrest');
  for (let size = 1; size <= bytes.length; size += 1) {
    const lines = new Lines();
    const found: string[] = [];
    for (let start = 0; start < bytes.length; start += size) {
      found.push(...lines.split(bytes.subarray(start, start + size)));
    }
    expect(found).toStrictEqual(['{"a":"ä😀"}', '', '{"b":1}']);
  }
});

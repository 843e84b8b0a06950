import { describe, expect, test } from 'vitest';
import { pixelsOf } from './delivery.ts';
import { readReference, referenceOf, shotOfName, stemOf, timestampOf } from './shot.ts';

describe('the name of a screenshot', () => {
  test.each([
    ['2025-01-15_08-30-00_+02-00_1920_1080_0_0.jpg', '2025-01-15T08:30:00+02:00'],
    ['2025-01-15_08-30-00_+02-00_1920_1080_0_0.thumbnail.jpg', '2025-01-15T08:30:00+02:00'],
    ['2025-10-23_21-58-16_-09-30_1704_1341_755811_0.jpg', '2025-10-23T21:58:16-09:30'],
    ['2025-10-23_21-58-16_05-30_1704_1341_755811_0.JPG', '2025-10-23T21:58:16+05:30'],
    ['2026-02-27_06-14-44_01-00_3866_2330_517204_1.jpg', '2026-02-27T06:14:44+01:00'],
  ])('%s is read', (name, timestamp) => {
    const found = shotOfName(name);
    if (found === undefined) throw new Error('not read');
    expect(found.isThumbnail).toBe(name.includes('thumbnail'));
    expect(timestampOf(found.shot)).toBe(timestamp);
    expect(stemOf(found.shot)).toBe(name.replace('_+', '_').replace(/(\.thumbnail)?\.jpg$/i, ''));
  });

  test.each([
    '',
    '1969-12-31_23-59-59_01-00_1920_1080_0_0.jpg',
    '2025-01-15_08-30-00_+02-00_1920_1080_0_0.png',
    '2025-13-15_08-30-00_+02-00_1920_1080_0_0.jpg',
    '2025-01-15_24-30-00_+02-00_1920_1080_0_0.jpg',
    '2025-01-15_08-60-00_+02-00_1920_1080_0_0.jpg',
    '2025-01-15_08-30-60_+02-00_1920_1080_0_0.jpg',
    '2025-01-15_08-30-00_+02-60_1920_1080_0_0.jpg',
    '2025-01-15_08-30-00_+02-00_1920_0_0_0.jpg',
    '2025-01-15_08-30-00_1920_1080_0_0.jpg',
    '2025-01-15_08-30-00_+02-00_-1920_1080_0_0.jpg',
    '2025-01-15_08-30-00_+02-00_1920_1080_0_0 - Copy.jpg',
    '2025-01-15_08-30-00_+02-00_1920_1080_0_0.jpg.tmp',
    '2025-01-15_08-30-00_+02-00_1920_1080_0_0.jpg/',
  ])('%j is not a screenshot', (name) => {
    expect(shotOfName(name)).toBeUndefined();
  });
});

test('a reference is stable and unique, and a made-up reference is rejected', () => {
  const shot = shotOfName('2025-01-15_08-30-00_+02-00_1920_1080_7_0.jpg')?.shot;
  if (shot === undefined) throw new Error('not parsed');
  const reference = referenceOf(shot);
  expect(reference.length).toBeLessThan(30);
  expect(readReference(reference)).toEqual(shot);
  const others = [
    { offset: 60 },
    { monitor: 1 },
    { sequence: 8 },
    { local: shot.local + 1 },
    { width: 1921 },
  ];
  const all = [reference, ...others.map((change) => referenceOf({ ...shot, ...change }))];
  expect(new Set(all).size).toBe(all.length);
  for (const forged of ['', '../../etc/passwd', 'A'.repeat(27), `${reference}A`, `${reference}-0`]) {
    expect(readReference(forged)).toBeUndefined();
  }
});

describe('pixelsOf', () => {
  const image = { width: 200, height: 100 };
  test.each([
    [0, 0, 100, 100, 'percent', image, [0, 0, 200, 100]],
    [50, 50, 50, 50, 'percent', image, [100, 50, 100, 50]],
    [0.25, 0.25, 0.5, 0.5, 'normalized', image, [50, 25, 100, 50]],
    [80, 80, 50, 50, 'percent', image, [160, 80, 40, 20]],
    [-10, -10, 50, 50, 'percent', image, [0, 0, 100, 50]],
  ] as const)(
    'pixelsOf converts the region %d,%d %dx%d in %s units of %o, and clamps it',
    (x, y, width, height, units, size, [left, top, w, h]) => {
      expect(pixelsOf({ x, y, width, height, units }, size)).toEqual({ left, top, width: w, height: h });
    },
  );

  test.each([
    [0, 0, 0, 0],
    [100, 0, 10, 10],
    [0, 0, -5, 10],
    [50, 50, 0.1, 10],
  ])('pixelsOf rejects the empty region %d,%d %dx%d', (x, y, width, height) => {
    expect(() => pixelsOf({ x, y, width, height, units: 'percent' }, image)).toThrow('empty');
  });
});

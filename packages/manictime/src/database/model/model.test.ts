import { expect, test } from 'vitest';
import { colorOf } from '../groups.ts';
import { kindOf } from './activity.ts';
import { minutesOf } from './time.ts';

test.each([
  ['ff0000', '#FF0000'],
  ['#00aa00', '#00AA00'],
  ['80112233', '#112233'],
  [0xff336699, '#336699'],
  [-13_408_615, '#336699'],
  ['-13408615', '#336699'],
  ['red', undefined],
  [null, undefined],
])('colorOf converts the stored color %s to %s', (stored, color) => {
  expect(colorOf(stored)).toBe(color);
});

test.each([
  [15, 0.2],
  [27, 0.4],
  [45, 0.8],
  [3, 0],
  [9, 0.2],
])('minutesOf rounds %i seconds to %d minutes: one decimal, halves to even', (seconds, minutes) => {
  expect(minutesOf(seconds)).toBe(minutes);
});

test.each([
  ['ManicTime/Applications', undefined, 'applications'],
  ['manictime/APPLICATIONS', 'ManicTime/GenericGroup', 'applications'],
  ['Plugin/Custom', 'ManicTime/Documents', 'documents'],
  ['Plugin/Custom', undefined, 'other'],
  ['', undefined, 'other'],
] as const)('kindOf maps the schema %j with base schema %j to %s', (schema, base, kind) => {
  expect(kindOf(schema, base)).toBe(kind);
});

import { expect, test } from 'vitest';
import { colorOf } from '../groups.ts';
import {
  type Activity,
  documentKind,
  fileOf,
  type Group,
  kindOf,
  siteOf,
  stateOf,
  type TimelineKind,
} from './activity.ts';
import { intersect, union } from './interval.ts';
import { minutesOf } from './time.ts';

test.each([
  ['ff0000', '#FF0000'],
  ['#00aa00', '#00AA00'],
  ['80112233', '#112233'],
  ['#FF112233', '#112233'],
  [0xff336699, '#336699'],
  [-13_408_615, '#336699'],
  ['-13408615', '#336699'],
  ['red', undefined],
  ['', undefined],
  [null, undefined],
])('colorOf converts the stored color %s to %s', (stored, color) => {
  expect(colorOf(stored)).toBe(color);
});

function activity(
  name: string | undefined,
  group: Partial<Group> = {},
  kind: TimelineKind = 'documents',
): Activity {
  return {
    start: 0,
    end: 1,
    localStart: 0,
    localEnd: 1,
    timeline: { reportId: 1, schemaName: '', baseSchemaName: undefined, environment: undefined, kind },
    activityId: 1,
    name,
    groupId: 1,
    relatedId: undefined,
    groupListId: undefined,
    group: {
      name: undefined,
      color: undefined,
      key: undefined,
      type: undefined,
      commonId: undefined,
      commonName: undefined,
      commonKey: undefined,
      ...group,
    },
  };
}

test.each([
  [{ key: 'ManicTime/Active', name: 'Aktiv' }, 'active'],
  [{ key: 'ManicTime/Away', name: 'Abwesend' }, 'inactive'],
  [{ name: 'active' }, 'active'],
  [{ name: 'Session lock' }, 'inactive'],
  [{ name: 'Using Computer' }, undefined],
] as const)('stateOf maps a computer usage group %o to %s', (group, state) => {
  expect(stateOf(activity(undefined, group, 'usage'))).toBe(state);
});

test('documentKind, siteOf and fileOf use the group of a row, then its name', () => {
  expect(documentKind(activity('x', { type: 'ManicTime/WebSites' }))).toBe('website');
  expect(documentKind(activity('https://x', { type: 'ManicTime/Files' }))).toBe('file');
  expect(documentKind(activity('x', { type: 'ManicTime/Chat' }))).toBe('other');
  expect(documentKind(activity('https://a.example/b'))).toBe('website');
  expect(documentKind(activity('/home/me/a.txt'))).toBe('file');
  expect(documentKind(activity('anything', {}, 'urls'))).toBe('website');
  expect(siteOf(activity('https://user:secret@a.example:8080/b'))).toBe('a.example');
  expect(siteOf(activity('https://x/', { name: 'shown.example' }))).toBe('shown.example');
  expect(fileOf(activity(String.raw`C:\a b\c#1.txt`))).toBe('file:///C:/a b/c%231.txt');
  expect(fileOf(activity(String.raw`C:\Проекты\план 1.docx`))).toBe('file:///C:/Проекты/план 1.docx');
  expect(fileOf(activity(String.raw`\\server\share\a.txt`))).toBe('file://server/share/a.txt');
  expect(fileOf(activity('/home/me/a.txt'))).toBe('/home/me/a.txt');
});

test.each([
  [15, 0.2],
  [27, 0.4],
  [45, 0.8],
  [90, 1.5],
  [3, 0],
  [9, 0.2],
  [7200, 120],
  [0, 0],
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

test('union merges intervals, and intersect clips items to them', () => {
  const joined = union([
    { start: 5, end: 7 },
    { start: 1, end: 3 },
    { start: 3, end: 4 },
    { start: 9, end: 9 },
  ]);
  expect(joined).toEqual([
    { start: 1, end: 4 },
    { start: 5, end: 7 },
  ]);
  const items = [
    { start: 0, end: 10, name: 'long' },
    { start: 2, end: 3, name: 'inside' },
    { start: 6, end: 6.5, name: 'late' },
  ];
  expect(intersect(items, joined)).toEqual([
    { start: 1, end: 4, name: 'long' },
    { start: 5, end: 7, name: 'long' },
    { start: 2, end: 3, name: 'inside' },
    { start: 6, end: 6.5, name: 'late' },
  ]);
});

import { expect, test } from 'vitest';
import { colorOf } from './colors.ts';
import { stateOf } from './computer-states.ts';
import { documentKind, fileOf, siteOf } from './documents.ts';
import type { Activity, Group } from './activity.ts';
import { kindOf, type TimelineKind } from './timelines.ts';

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
])('the stored colour %s is %s', (stored, color) => {
  expect(colorOf(stored)).toBe(color);
});

test.each([
  ['ManicTime/Applications', undefined, 'applications'],
  ['manictime/APPLICATIONS', 'ManicTime/GenericGroup', 'applications'],
  ['Plugin/Custom', 'ManicTime/Documents', 'documents'],
  ['Plugin/Custom', undefined, 'other'],
  ['', undefined, 'other'],
] as const)('a timeline of %s based on %s is one of %s', (schema, base, kind) => {
  expect(kindOf(schema, base)).toBe(kind);
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
] as const)('the state %o is %s', (group, state) => {
  expect(stateOf(activity(undefined, group, 'usage'))).toBe(state);
});

test('documents are told by their group, and else by their name', () => {
  expect(documentKind(activity('x', { type: 'ManicTime/WebSites' }))).toBe('website');
  expect(documentKind(activity('https://x', { type: 'ManicTime/Files' }))).toBe('file');
  expect(documentKind(activity('x', { type: 'ManicTime/Chat' }))).toBe('other');
  expect(documentKind(activity('https://a.example/b'))).toBe('website');
  expect(documentKind(activity('/home/me/a.txt'))).toBe('file');
  expect(documentKind(activity('anything', {}, 'urls'))).toBe('website');
  expect(siteOf(activity('https://user:secret@a.example:8080/b'))).toBe('a.example');
  expect(siteOf(activity('https://x/', { name: 'shown.example' }))).toBe('shown.example');
  expect(fileOf(activity(String.raw`C:\a b\c#1.txt`))).toBe('file:///C:/a%20b/c%231.txt');
  expect(fileOf(activity('/home/me/a.txt'))).toBe('/home/me/a.txt');
});

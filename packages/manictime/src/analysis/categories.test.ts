import { readOptions } from '@deskside/core/program';
import { expect, test } from 'vitest';
import { manictimeOptions } from '../options.ts';
import type { Activity } from '../database/model/activity.ts';
import { categorizer, correctionProblem } from './categories.ts';

function windowOf(name: string, key: string, folder?: string): Activity {
  const group = {
    name,
    key,
    color: undefined,
    type: undefined,
    commonId: undefined,
    commonName: undefined,
    commonKey: undefined,
    folder,
  };
  const timeline = {
    reportId: 3,
    schemaName: '',
    baseSchemaName: undefined,
    environment: undefined,
    kind: 'applications',
  } as const;
  const ids = { activityId: 1, groupId: 1, relatedId: undefined, groupListId: undefined };
  return { ...ids, group, timeline, name, start: 0, end: 1, localStart: 0, localEnd: 1 };
}

test.each([
  ['Visual Studio Code', 'code.exe;visual studio code', 'code'],
  ['Microsoft Edge', 'msedge.exe', 'web'],
  ['Microsoft Outlook', 'outlook.exe', 'mail'],
  ['Microsoft Teams', 'ms-teams.exe', 'chat'],
  ['Microsoft Word', 'winword.exe', 'office'],
  ['Windows Explorer', 'explorer.exe', 'system'],
  ['Spotify', 'spotify.exe', 'media'],
  // Words that contain the names of programs.
  ['Wordpress Importer', 'x.exe', 'other'],
  ['Accessory', 'x.exe', 'other'],
])('%s (%s) is of the kind %s', (name, key, category) => {
  expect(categorizer()(windowOf(name, key))).toBe(category);
});

test.each([
  ['a program', 'Own Program', 'own.exe', undefined, 'code'],
  ['an executable', 'Renamed', 'own.exe;x', undefined, 'chat'],
  ['a folder', 'Google Chrome', 'chrome.exe', 'Customers', 'mail'],
  ['a folder with the name of a kind', 'Google Chrome', 'chrome.exe', 'Media', 'media'],
  ['nothing', 'Google Chrome', 'chrome.exe', undefined, 'web'],
])('a correction of %s gives %s (%s, folder %s) the kind %s', (_, name, key, folder, category) => {
  const categoryOf = categorizer(['own program = Code', 'OWN.EXE=chat', 'Customers=mail']);
  expect(categoryOf(windowOf(name, key, folder))).toBe(category);
});

test.each(['Own', 'Own=', '=code', 'Own=games'])('%s is not a correction', (text) => {
  expect(correctionProblem(text)).toContain('is not NAME=KIND with one of the kinds code, office');
});

test.each([
  ['exclude', 'name:'],
  ['redact', 'site:'],
  ['categories', ''],
])('a wrong value of --%s is repeated in part', (flag, prefix) => {
  const flags = { [flag]: `${prefix}${'/'.repeat(100_000)}` };
  const beginning = `--${flag}: "${prefix}${'/'.repeat(79 - prefix.length)}…" `;
  expect(() => readOptions(manictimeOptions, { flags, env: {} })).toThrow(beginning);
});

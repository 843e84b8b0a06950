import { expect, test } from 'vitest';
import type { Activity } from '../database/model/activity.ts';
import { categoryOf } from './categories.ts';

function windowOf(name: string, key: string, folder: string): Activity {
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
  ['Visual Studio Code', 'code.exe;visual studio code', '', 'code'],
  ['Windows Terminal', 'windowsterminal.exe', '', 'code'],
  ['Microsoft Edge', 'msedge.exe', '', 'web'],
  ['Google Chrome', 'chrome.exe', 'Customers', 'web'],
  ['Google Chrome', 'chrome.exe', 'Media', 'media'],
  ['Microsoft Outlook', 'outlook.exe', '', 'mail'],
  ['Microsoft Teams', 'ms-teams.exe', '', 'chat'],
  ['Microsoft Word', 'winword.exe', '', 'office'],
  ['Windows Explorer', 'explorer.exe', '', 'system'],
  ['Spotify', 'spotify.exe', '', 'media'],
  // Words that contain the names of programs.
  ['Wordpress Importer', 'x.exe', '', 'other'],
  ['Accessory', 'x.exe', '', 'other'],
  ['Meeting Room Lamp', 'x.exe', '', 'other'],
  ['Own Program', 'own.exe', '', 'other'],
])('%s (%s) in the folder "%s" is of the kind %s', (name, key, folder, category) => {
  expect(categoryOf(windowOf(name, key, folder))).toBe(category);
});

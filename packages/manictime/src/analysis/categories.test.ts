import { readOptions } from '@deskside/core/program';
import { expect, test } from 'vitest';
import { manictimeOptions } from '../options.ts';
import { DAY, row, served } from '../testing/test-server.ts';
import { correctionProblem } from './categories.ts';

/** By kind, in the order of the alphabet. */
const PROGRAMS = {
  chat: ['Microsoft Teams', 'Renamed'],
  code: ['Own Program', 'Visual Studio Code'],
  mail: ['Microsoft Outlook', 'Vivaldi'],
  media: ['Google Chrome', 'Spotify'],
  office: ['Microsoft Word'],
  // Words that contain the names of programs.
  other: ['Accessory', 'Wordpress Importer'],
  system: ['Windows Explorer'],
  web: ['Microsoft Edge'],
};

test('a program has the kind that the option gives it, its executable or its folder, else that of its folder, else of its name', async () => {
  const applications = Object.values(PROGRAMS)
    .flat()
    .map((name, index) => row(`09:${index + 10}:00`, `09:${index + 10}:30`, name));
  const sql = `ALTER TABLE Ar_Group ADD COLUMN FolderId INTEGER;
    INSERT INTO Ar_Folder VALUES (1, 'Customers'), (2, 'Media');
    UPDATE Ar_Group SET FolderId = 1 WHERE Name = 'Vivaldi';
    UPDATE Ar_Group SET FolderId = 2 WHERE Name = 'Google Chrome';`;
  const categories = ['own program = Code', 'RENAMED.EXE=chat', 'Customers=mail'];
  await using server = served({ applications, sql }, { categories });
  const { groups } = await server.answer('sum_time', { ...DAY, groupBy: ['category', 'application'] });
  const found = (groups as { name: string; groups: { name: string }[] }[]).map((each) => [
    each.name,
    each.groups.map(({ name }) => name),
  ]);
  expect(Object.fromEntries(found)).toEqual(PROGRAMS);
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

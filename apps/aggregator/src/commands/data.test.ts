import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { silentLog } from '@deskside/core';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openUserJournal } from '@deskside/desktop';
import type { StoredItem } from '../data/stored.ts';
import { attachDesk } from '../testing/attach-desk.ts';
import { filesBelow } from '../testing/files-below.ts';
import { runCommand, SELF } from '../testing/commands.ts';
import { connect } from './connect.ts';
import { data, dataKeep, dataWipe } from './data.ts';

/** A home folder with files, by their paths. */
function homeWith(...files: readonly string[]) {
  const home = temporaryFolder();
  const env = {
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_RUNTIME_DIR: join(home, 'run'),
    VOICEMODE_BASE_DIR: '',
  };
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  for (const file of files) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), 'x'.repeat(100));
  }
  const list = async (flags: Record<string, string | boolean> = {}, more: Record<string, string> = {}) => {
    const ran = await runCommand(data(SELF), { flags: { ...flags, json: true }, env: { ...env, ...more } });
    const { items }: { items: StoredItem[] } = JSON.parse(ran.stdout);
    return items.map(({ server, path, purpose }) => [server, path.slice(home.length + 1), purpose]);
  };
  return { home, env, list, wipe: (options = {}) => runCommand(dataWipe(SELF), { env, ...options }) };
}

const ALL = [
  'data/deskside/todo.sqlite',
  'data/deskside/todo.sqlite-wal',
  'data/deskside/token',
  'data/deskside/popup-history/exchanges_2026-11-22.jsonl',
  'state/deskside/notify.jsonl.1',
  '.local/state/deskside/popup-browser/chromium/Default/Cookies',
  'snap/chromium/common/deskside-popup/Default/Cookies',
  '.var/app/com.google.Chrome/deskside-popup/Default/Cookies',
  `tmp/deskside-${SELF.uid}/4.sock`,
  'run/deskside/popup.html',
];

test('data lists the files of all servers with their purposes, wherever a variable puts them', async () => {
  const { list } = homeWith(...ALL, 'tmp/deskside-4711/other-user', 'tmp/foreign', 'run/bus', 'data/other/x');
  expect((await list()).map(([server, path]) => [server, path])).toStrictEqual([
    ['deskside', 'data/deskside/token'],
    ['deskside', 'run/deskside'],
    ['deskside', `tmp/deskside-${SELF.uid}`],
    ['log', 'state/deskside/notify.jsonl.1'],
    ['popup', '.local/state/deskside/popup-browser'],
    ['popup', '.var/app/com.google.Chrome/deskside-popup'],
    ['popup', 'data/deskside/popup-history'],
    ['popup', 'snap/chromium/common/deskside-popup'],
    ['todo', 'data/deskside/todo.sqlite'],
    ['todo', 'data/deskside/todo.sqlite-wal'],
  ]);
  expect((await list({ server: 'log' })).map(([, path]) => path)).toStrictEqual([
    'state/deskside/notify.jsonl.1',
  ]);
});

test('data lists what a setting moves, and nothing next to it', async () => {
  const { home, list } = homeWith(
    'srv/list.db',
    'srv/list.db-shm',
    'srv/list.db.v3.bak',
    'srv/list.dbx',
    'log/n.1',
  );
  const moved = { TODO_DATABASE_URL: join(home, 'srv/list.db'), LOG_NOTIFY_FILE: join(home, 'log/n') };
  expect((await list({}, moved)).map(([, path]) => path)).toStrictEqual([
    'log/n.1',
    'srv/list.db',
    'srv/list.db-shm',
    'srv/list.db.v3.bak',
  ]);
  expect(await list({}, { TODO_DATABASE_URL: 'postgres://db.example/todo' })).toStrictEqual([]);
});

test('data shows sizes, and names a file that this version does not know', async () => {
  const { env, home } = homeWith('data/deskside/future.bin', 'state/deskside/notify.jsonl');
  const { stdout } = await runCommand(data(SELF), { env });
  expect(stdout.replaceAll(home, '~')).toContain(
    [
      'deskside      100 B  ~/data/deskside/future.bin',
      '                       unknown to this version',
      'log           100 B  ~/state/deskside/notify.jsonl',
      '                       notifications, as "tail" shows them',
      '2 files, 200 B',
    ].join('\n'),
  );
});

test('data wipe shows everything, asks, and deletes the files with their empty folders', async () => {
  const { home, wipe } = homeWith(...ALL, 'data/other/x');
  // Without a terminal nobody can be asked.
  expect((await wipe()).stderr).toContain('pass --yes');
  expect(await wipe({ typed: 'no\n' })).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(
      'Delete 10 files (1.0 kB)? They cannot be restored. [y/N] Nothing was deleted.',
    ),
  });
  expect(existsSync(join(home, 'data/deskside/todo.sqlite'))).toBe(true);
  expect(await wipe({ flags: { server: 'todo', yes: true } })).toMatchObject({ code: 0 });
  expect(readdirSync(join(home, 'data/deskside')).toSorted()).toStrictEqual(['popup-history', 'token']);
  expect(await wipe({ typed: 'y\n' })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Deleted\.\n$/),
  });
  expect(filesBelow(home)).toStrictEqual([join(home, 'data/other/x')]);
  expect(existsSync(join(home, 'data/deskside'))).toBe(false);
});

test('data wipe leaves a folder that other programs use, and the target of a link', async () => {
  const { home, wipe, list } = homeWith(
    '.voicemode/logs/conversations/exchanges_2026-11-22.jsonl',
    'mine/letter',
  );
  mkdirSync(join(home, 'data/deskside'), { recursive: true });
  symlinkSync(join(home, 'mine'), join(home, 'data/deskside/link'));
  expect(await list()).toHaveLength(2);
  expect((await wipe({ flags: { yes: true } })).stdout).toContain('other programs may use it');
  expect((await list()).map(([, path]) => path)).toStrictEqual(['.voicemode/logs/conversations']);
  expect(existsSync(join(home, 'mine/letter'))).toBe(true);
});

test('data lists configuration files that options name, and data wipe leaves them', async () => {
  const { home, list, wipe } = homeWith('mine/desk.toml', 'mine/log.toml');
  writeFileSync(join(home, 'mine/desk.toml'), '');
  writeFileSync(join(home, 'mine/log.toml'), '');
  const named = {
    DESKSIDE_CONFIG: join(home, 'mine/desk.toml'),
    LOG_NOTIFY_CONFIG: join(home, 'mine/log.toml'),
  };
  expect(await list({ config: named.DESKSIDE_CONFIG }, named)).toStrictEqual([
    ['deskside', 'mine/desk.toml', 'your configuration'],
    ['log', 'mine/log.toml', 'your configuration of notifications'],
  ]);
  const { stdout } = await wipe({ flags: { yes: true, config: named.DESKSIDE_CONFIG }, env: named });
  expect(stdout).toContain('mine/desk.toml');
  expect(stdout).toContain(
    'your configuration\n                       other programs may use it, so "data wipe" leaves it',
  );
  expect(stdout).not.toContain('Nothing is stored');
  expect(existsSync(join(home, 'mine/log.toml'))).toBe(true);
});

test('data wipe deletes nothing if a desk starts while it asks', async () => {
  const { home, wipe } = homeWith('data/deskside/todo.sqlite');
  const typed = async () => {
    await attachDesk(join(home, 'data/deskside'));
    return 'y\n';
  };
  expect(await wipe({ typed })).toMatchObject({
    code: 1,
    stderr: 'Nothing was deleted: a desk is running. End its clients, then run "deskside stop".\n',
  });
  expect(existsSync(join(home, 'data/deskside/todo.sqlite'))).toBe(true);
});

test('after data wipe, connect --undo still takes back what connect wrote', async () => {
  const { home, env, wipe } = homeWith(...ALL);
  const cursor = (undo: boolean) => runCommand(connect(SELF), { operands: ['cursor'], flags: { undo }, env });
  await cursor(false);
  const wiped = await wipe({ flags: { yes: true } });
  expect(wiped).toMatchObject({ code: 0, stderr: '' });
  expect(wiped.stdout).toMatch(
    /Deleted\.\ncursor is connected\. To take that back: deskside connect cursor --undo\n$/,
  );
  expect(await cursor(true)).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(join(home, '.cursor/mcp.json'))).toBe(false);
  expect(readdirSync(join(home, 'data/deskside'))).toStrictEqual([]);
});

test('data lists the notifications where log-notify.toml puts them', async () => {
  const { home, list } = homeWith('log/n.jsonl', 'log/n.jsonl.1', 'config/deskside/log-notify.toml');
  writeFileSync(
    join(home, 'config/deskside/log-notify.toml'),
    `[file]\npath = '${join(home, 'log/n.jsonl')}'\n`,
  );
  expect((await list({ server: 'log' })).map(([, path]) => path)).toStrictEqual([
    'config/deskside/log-notify.toml',
    'log/n.jsonl',
    'log/n.jsonl.1',
  ]);
});

async function recordText(text: string): Promise<void> {
  await using journal = openUserJournal(silentLog);
  journal.begin({ kind: 'news', caller: 'a', user: 'owner', content: { text } }).end('closed');
}

async function recordedTexts(): Promise<readonly (string | undefined)[]> {
  await using journal = openUserJournal(silentLog);
  return (await journal.records()).map(({ content }) => content?.text);
}

test('data keep shows how long texts and records are kept, changes it, and deletes what is older', async () => {
  const { env } = homeWith();
  const keep = async (flags: Record<string, string> = {}) =>
    (await runCommand(dataKeep, { flags, env })).stdout;
  expect(await keep()).toBe('Texts: kept for 7 days. Records: kept for 90 days.\n');
  await recordText('one');
  expect(await keep({ records: '1' })).toBe('Texts: kept for 7 days. Records: kept for 1 day.\n');
  expect(await recordedTexts()).toStrictEqual(['one']);
  expect(await keep({ texts: '0' })).toBe('Texts: not kept. Records: kept for 1 day.\n');
  await recordText('two');
  expect(await recordedTexts()).toStrictEqual([undefined, undefined]);
  expect((await runCommand(dataKeep, { flags: { texts: '-1' }, env })).code).toBe(1);
});

import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createLog, type ServerDefinition } from '@deskside/core';
import { connectInProcess, LEGS, temporaryFolder } from '@deskside/testkit';
import { afterEach, expect, test, vi } from 'vitest';
import { createAggregator } from '../aggregator.ts';
import { activity } from '../commands/activity.ts';
import { runCommand } from '../testing/commands.ts';
import { namedServer } from '../testing/servers.ts';
import type { CallRecord } from './call.ts';
import { ActivityLog } from './log.ts';
import { lastCalls, newCalls } from './read.ts';

afterEach(() => void vi.unstubAllEnvs());

const silent = createLog({ level: 'error', write: () => undefined });
const now = () => new Date('2026-11-22T10:00:00Z');

function call(tool: string): CallRecord {
  return {
    mount: 'todo',
    tool,
    outcome: 'ok',
    ms: 12,
    user: 'owner',
    caller: 'Claude Code · shop',
    session: 's',
  };
}

test.each(LEGS)('every call is recorded without its arguments in the $era era over $over', async (leg) => {
  const failing: Partial<ServerDefinition> = {
    callTool: async (name) => {
      if (name === 'throw') throw new Error('disk on fire');
      return name === 'ping' ? { content: [], isError: true } : undefined;
    },
  };
  const calls: CallRecord[] = [];
  const { routes } = await createAggregator({
    mounts: [
      { id: 'good', definition: namedServer('good') },
      { id: 'bad', definition: { ...namedServer('bad'), ...failing } },
    ],
    onCall: (made) => calls.push(made),
  });
  for (const [path, prefix] of [
    ['/mcp', 'bad_'],
    ['/mcp/bad', ''],
  ] as const) {
    const definition = routes.get(path);
    await using peer = await connectInProcess(definition ?? namedServer('none'), leg);
    if (path === '/mcp') await peer.callTool('good_ping', { secret: 'no' });
    await peer.callTool(`${prefix}ping`, { secret: 'no' });
    await expect(peer.callTool(`${prefix}throw`)).rejects.toThrow('Internal error');
    await expect(peer.callTool(`${prefix}missing`)).rejects.toThrow('Unknown tool');
  }
  const made = [
    { mount: 'bad', tool: 'ping', outcome: 'error' },
    { mount: 'bad', tool: 'throw', outcome: 'failed' },
    { mount: 'bad', tool: 'missing', outcome: 'unknown' },
  ];
  expect(calls).toMatchObject([{ mount: 'good', tool: 'ping', outcome: 'ok' }, ...made, ...made]);
  expect(calls[0]).toMatchObject({
    user: 'owner',
    caller: expect.stringMatching(/^test/),
    ms: expect.any(Number),
  });
  expect(JSON.stringify(calls)).not.toContain('secret');
});

test('the log is a file of JSON lines that only its owner can read', async () => {
  const file = join(temporaryFolder(), 'state/activity.jsonl');
  await using log = new ActivityLog(file, silent, { now });
  log.record(call('add_task'));
  log.record(call('list_tasks'));
  await log[Symbol.asyncDispose]();
  expect(
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line && JSON.parse(line)),
  ).toStrictEqual([
    { time: '2026-11-22T10:00:00.000Z', ...call('add_task') },
    { time: '2026-11-22T10:00:00.000Z', ...call('list_tasks') },
    '',
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('the log has two files of limited size, and the last calls are read from both', async () => {
  const file = join(temporaryFolder(), 'activity.jsonl');
  await using log = new ActivityLog(file, silent, { now, maxBytes: 1000 });
  for (let number = 0; number < 30; number += 1) {
    log.record(call(`tool_${number}`));
    await log[Symbol.asyncDispose]();
  }
  for (const part of [file, `${file}.1`]) expect(statSync(part).size).toBeLessThan(1200);
  const { lines } = await lastCalls(file, 6);
  expect(lines.map((line) => JSON.parse(line).tool)).toStrictEqual(
    [24, 25, 26, 27, 28, 29].map((number) => `tool_${number}`),
  );
  const current = readFileSync(file, 'utf8').trimEnd().split('\n').length;
  expect((await lastCalls(file, current + 1)).lines).toHaveLength(current + 1);
});

test('a log that cannot be written is reported once and fails no call', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  const lines: string[] = [];
  const log = createLog({ level: 'info', write: (line) => lines.push(line) });
  await using broken = new ActivityLog(join(folder, 'file/activity.jsonl'), log);
  broken.record(call('a'));
  await broken[Symbol.asyncDispose]();
  broken.record(call('b'));
  await broken[Symbol.asyncDispose]();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('activity not written');
});

test('a log that could be written again reports the next failure', async () => {
  const folder = join(temporaryFolder(), 'activity');
  const lines: string[] = [];
  const log = createLog({ level: 'info', write: (line) => lines.push(line) });
  await using broken = new ActivityLog(join(folder, 'activity.jsonl'), log);
  for (const isBroken of [true, false, true]) {
    rmSync(folder, { recursive: true, force: true });
    if (isBroken) writeFileSync(folder, '');
    broken.record(call('a'));
    await broken[Symbol.asyncDispose]();
  }
  expect(lines).toHaveLength(2);
});

test('following yields each new call once, also from a file that begins meanwhile', async () => {
  const file = join(temporaryFolder(), 'activity.jsonl');
  await using log = new ActivityLog(file, silent, { now, maxBytes: 500 });
  const { next, lines } = await lastCalls(file, 10);
  expect(lines).toStrictEqual([]);
  const ended = new AbortController();
  const following = newCalls(file, next, ended.signal);
  const seen: string[] = [];
  for (let number = 0; number < 20; number += 1) {
    log.record(call(`tool_${number}`));
    const { value } = await following.next();
    seen.push(JSON.parse(value ?? '{}').tool);
  }
  expect(seen).toStrictEqual(Array.from({ length: 20 }, (_, number) => `tool_${number}`));
  ended.abort();
  expect((await following.next()).done).toBe(true);
});

test('a call is followed although the log has ended its file with it', async () => {
  const file = join(temporaryFolder(), 'activity.jsonl');
  writeFileSync(file, '{"tool":"a"}\n');
  const { next } = await lastCalls(file, 10);
  appendFileSync(file, '{"tool":"b"}\n');
  renameSync(file, `${file}.1`);
  const following = newCalls(file, next, new AbortController().signal);
  expect((await following.next()).value).toBe('{"tool":"b"}');
  writeFileSync(file, '{"tool":"c"}\n');
  expect((await following.next()).value).toBe('{"tool":"c"}');
  await following.return(undefined);
});

test('a call that was written before the log began a new file is not lost', async () => {
  const file = join(temporaryFolder(), 'activity.jsonl');
  writeFileSync(file, '{"tool":"a"}\n');
  const { next } = await lastCalls(file, 10);
  appendFileSync(file, '{"tool":"b"}\n');
  renameSync(file, `${file}.1`);
  writeFileSync(file, '{"tool":"c"}\n');
  const following = newCalls(file, next, new AbortController().signal);
  expect((await following.next()).value).toBe('{"tool":"b"}');
  expect((await following.next()).value).toBe('{"tool":"c"}');
  await following.return(undefined);
});

test('a line that another process is writing is read when it is complete', async () => {
  const file = join(temporaryFolder(), 'activity.jsonl');
  appendFileSync(file, '{"tool":"a"}\n{"too');
  const { lines, next } = await lastCalls(file, 10);
  expect(lines).toStrictEqual(['{"tool":"a"}']);
  appendFileSync(file, 'l":"b"}\n');
  const following = newCalls(file, next, new AbortController().signal);
  expect((await following.next()).value).toBe('{"tool":"b"}');
  await following.return(undefined);
});

test('deskside activity prints calls for people and as JSON', async () => {
  const home = temporaryFolder();
  vi.stubEnv('XDG_STATE_HOME', home);
  vi.stubEnv('TZ', 'UTC');
  expect((await runCommand(activity)).stdout).toBe('No calls.\n');
  expect((await runCommand(activity, { flags: { json: true } })).stdout).toBe('');
  mkdirSync(join(home, 'deskside'));
  const lines = [call('add_task'), { ...call('list_tasks'), caller: 'evil\u202Ename' }].map((made) =>
    JSON.stringify({ time: now().toISOString(), ...made }),
  );
  writeFileSync(join(home, 'deskside/activity.jsonl'), `${lines.join('\n')}\nnot json\n`);
  expect((await runCommand(activity, { flags: { json: true, limit: '2' } })).stdout).toBe(
    `${lines[1]}\nnot json\n`,
  );
  const [first, second, third] = (await runCommand(activity)).stdout.split('\n');
  expect(first).toMatch(/^2026-11-22 \d\d:\d\d:\d\d {2}todo add_task +ok +12 ms {2}Claude Code · shop$/);
  expect(second).not.toContain('\u202E');
  expect(third).toBe('not json');
});

test('deskside activity names a file that cannot be read', async () => {
  const state = temporaryFolder();
  vi.stubEnv('XDG_STATE_HOME', state);
  writeFileSync(join(state, 'deskside'), 'a file where the folder belongs');
  expect(await runCommand(activity)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/activity\.jsonl cannot be read: ENOTDIR/),
  });
});

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import {
  cleanEnvironment,
  connectHttp,
  firstText,
  hasPostgres,
  type Peer,
  startProgram,
  temporaryFolder,
} from '@deskside/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { usePostgres } from './testing/postgres-database.ts';

const CLI = join(import.meta.dirname, '../dist/bin/cli.js');
const MAIN = 'a-long-enough-token';
const LEFT = /^phone-2 +anna .*used [^\n]*$/;
const me = { user_id: 'me' };
const needs = hasPostgres ? '' : ' (skipped: apt-get install postgresql)';

/** Two servers of one database, each with a home folder of its own, and the commands of its operator. */
async function openServers(database: string) {
  const envOf = () => ({
    ...cleanEnvironment(temporaryFolder()),
    DESKSIDE_TOKEN: MAIN,
    TODO_DATABASE_URL: database,
  });
  const start = async () => {
    const program = startProgram({
      command: process.execPath,
      args: [CLI, '--http', '--port', '0'],
      env: envOf(),
    });
    onTestFinished(() => program[Symbol.asyncDispose]());
    const [, url = ''] = await program.printed(/serves MCP at (\S+)\n/);
    return url;
  };
  const token = (...args: readonly string[]) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [CLI, 'token', ...args], {
      env: envOf(),
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    return stdout.trim();
  };
  return { urls: [await start(), await start()] as const, token };
}

async function connect(url: string, era: 'legacy' | 'modern', token: string): Promise<Peer> {
  const peer = await connectHttp(url, { era, token });
  onTestFinished(() => peer[Symbol.asyncDispose]());
  return peer;
}

/** A client that works on until it is refused. */
async function refused(peer: Peer): Promise<string> {
  for (;;) {
    try {
      await peer.callTool('list_tasks', me);
    } catch (error) {
      return String(error);
    }
  }
}

/** @returns the tokens that are left, as `token list` prints them */
async function rotateWhileServing(database: string): Promise<string> {
  const { urls, token } = await openServers(database);
  const [one, other] = urls;
  const old = token('create', 'phone', '--user', 'anna');
  const peers = [await connect(one, 'legacy', old), await connect(other, 'modern', old)] as const;
  expect(firstText(await peers[0].callTool('add_task', { ...me, title: 'Annas' }))).toContain('"task_id":1');
  expect(firstText(await peers[1].callTool('list_tasks', me))).toContain('"title":"Annas"');
  for (const user_id of ['owner', 'ben'])
    expect(firstText(await peers[0].callTool('list_tasks', { user_id }))).toBe('{"error":"User not found"}');
  const owner = await connect(one, 'modern', MAIN);
  expect(firstText(await owner.callTool('list_tasks', me))).toBe('[]');

  const next = await connect(other, 'legacy', token('create', 'phone-2', '--user', 'anna'));
  expect(firstText(await next.callTool('list_tasks', me))).toContain('"title":"Annas"');
  token('revoke', 'phone');
  const start = performance.now();
  for (const reason of await Promise.all(peers.map(refused))) expect(reason).toMatch(/401|Unauthorized/);
  // One look per second. The rest is the calls themselves, on a machine that may be busy.
  expect(performance.now() - start).toBeLessThan(5000);
  expect(firstText(await next.callTool('list_tasks', me))).toContain('"title":"Annas"');
  return token('list');
}

test('a token of a user is rotated on two running servers of one file, and its user sees no other tasks', async () => {
  const left = await rotateWhileServing(join(temporaryFolder(), 'todo.sqlite'));
  expect(left).toMatch(LEFT);
});

describe.skipIf(!hasPostgres)(`tokens on a real PostgreSQL server${needs}`, () => {
  const database = usePostgres();

  test('a token of a user is rotated on two running replicas, and its user sees no other tasks', async () => {
    expect(await rotateWhileServing(database().url)).toMatch(LEFT);
  });
});

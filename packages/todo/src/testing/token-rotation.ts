import { spawnSync } from 'node:child_process';
import { connectHttp, firstText, type Peer } from '@deskside/testkit';
import { expect, onTestFinished } from 'vitest';
import { MAIN_TOKEN, startReplica, todoCommand } from './replica.ts';

const me = { user_id: 'me' };

/** A command of the operator. */
function token(database: string, ...args: readonly string[]): string {
  const { command, args: all, env } = todoCommand(database, ['token', ...args]);
  const { stdout, stderr, status } = spawnSync(command, all, { env, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return stdout.trim();
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

/** What is left of the tokens after the rotation, as `token list` prints it. */
export const LEFT: RegExp = /^phone-2 +anna .*used [^\n]*$/;

/** Rotates a token on two running servers. @returns the tokens that are left */
export async function rotateWhileServing(database: string): Promise<string> {
  const [{ url: one }, { url: other }] = [await startReplica(database), await startReplica(database)];
  const old = token(database, 'create', 'phone', '--user', 'anna');
  const peers = [await connect(one, 'legacy', old), await connect(other, 'modern', old)] as const;
  expect(firstText(await peers[0].callTool('add_task', { ...me, title: 'Annas' }))).toContain('"task_id":1');
  expect(firstText(await peers[1].callTool('list_tasks', me))).toContain('"title":"Annas"');
  for (const user_id of ['owner', 'ben'])
    expect(firstText(await peers[0].callTool('list_tasks', { user_id }))).toBe('{"error":"User not found"}');
  const owner = await connect(one, 'modern', MAIN_TOKEN);
  expect(firstText(await owner.callTool('list_tasks', me))).toBe('[]');

  const next = await connect(other, 'legacy', token(database, 'create', 'phone-2', '--user', 'anna'));
  expect(firstText(await next.callTool('list_tasks', me))).toContain('"title":"Annas"');
  token(database, 'revoke', 'phone');
  const start = performance.now();
  for (const reason of await Promise.all(peers.map(refused))) expect(reason).toMatch(/401|Unauthorized/);
  // One look per second. The rest is the calls themselves, on a machine that may be busy.
  expect(performance.now() - start).toBeLessThan(5000);
  expect(firstText(await next.callTool('list_tasks', me))).toContain('"title":"Annas"');
  return token(database, 'list');
}

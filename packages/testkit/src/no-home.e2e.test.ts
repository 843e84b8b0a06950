import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { chosenRows } from './chosen.ts';

const ROOT = join(import.meta.dirname, '../../..');
const UID_WITHOUT_PASSWD_ENTRY = 54_321;

/** Each bin of a package that is published, with the arguments that serve MCP over stdio. */
const bins = globSync('{packages,apps}/*/package.json', { cwd: ROOT }).flatMap((file) => {
  const { bin = {} } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as { bin?: Record<string, string> };
  // The package `deskside` only starts the program of the aggregator.
  if (dirname(file) === 'apps/deskside') return [];
  return Object.entries(bin).map(([name, path]) => ({ name, path: join(ROOT, dirname(file), path) }));
});

interface Answer {
  readonly id: string;
  readonly result?: { readonly tools?: readonly unknown[] };
}

const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
const params = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

/** Starts a program without HOME under a user id that has no passwd entry, as in many containers. */
async function listings(path: string): Promise<Map<string, Answer>> {
  const args = path.includes('aggregator') ? [path, 'stdio'] : [path];
  const who = { uid: UID_WITHOUT_PASSWD_ENTRY, gid: UID_WITHOUT_PASSWD_ENTRY };
  const options = { env: { PATH: process.env['PATH'] }, cwd: '/', ...who };
  const child = spawn(process.execPath, args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const answers = new Map<string, Answer>();
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  send({ id: 'initialize', method: 'initialize', params });
  send({ method: 'notifications/initialized' });
  for (const method of LISTS) send({ id: method, method });
  for await (const line of createInterface({ input: child.stdout })) {
    const answer = JSON.parse(line) as Answer;
    answers.set(answer.id, answer);
    if (answers.size > LISTS.length) child.stdin.end();
  }
  await ended;
  return answers;
}

describe.skipIf(process.getuid?.() !== 0)('under a user id without a passwd entry and without HOME', () => {
  test('there are six programs', () => expect(bins).toHaveLength(6));

  test.each(chosenRows(bins, 3))('$name answers its listings', async ({ name, path }) => {
    const answers = await listings(path);
    // A server without resources or prompts answers -32601.
    expect(JSON.stringify([...answers.values()])).not.toContain('-32603');
    const { tools = [] } = answers.get('tools/list')?.result ?? {};
    expect(tools.length).toBeGreaterThan(0);
    const listed = JSON.stringify(tools);
    for (const tool of name === 'deskside' ? ['todo_add_task', 'popup_notify', 'log_notify'] : [])
      expect(listed).toContain(`"${tool}"`);
  });
});

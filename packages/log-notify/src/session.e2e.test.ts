import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectStdio, firstText, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test, vi } from 'vitest';
import { bin, CLI, written } from './testing/bin.ts';
import { canShowNotifications, startDesktopSession } from './testing/desktop-session.ts';
import { type Receiver, startReceiver } from './testing/receiver.ts';

/** Delay of the answers of a service at the other end of the world. */
const SERVICE_DELAY_MS = 350;

/** What the SDK's stdio client passes on if a host names no variables. */
function sdkEnvironment(home: string): Record<string, string> {
  const path = process.env['PATH'] ?? '';
  return { HOME: home, LOGNAME: 'root', PATH: path, SHELL: '/bin/sh', TERM: 'xterm', USER: 'root' };
}

const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/run/user']).status === 0;

/** The server in a view of the machine whose user bus is at its usual place. */
function withUserBus(bus: string, env: Record<string, string>) {
  const folder = `/run/user/${process.getuid?.() ?? 0}`;
  const script = `mount -t tmpfs none /run/user && mkdir ${folder} && ln -s "$1" ${folder}/bus && shift && exec "$@"`;
  const args = ['--mount', 'sh', '-c', script, 'sh', bus, process.execPath, CLI];
  return { command: 'unshare', args, env };
}

function messagesAt({ received }: Receiver): string[] {
  return received.map(({ body }) => (JSON.parse(body) as { data: { message: string } }).data.message);
}

function spooled(home: string): string[] {
  const folder = join(home, 'state/deskside/log-notify-spool');
  return existsSync(folder) ? readdirSync(folder) : [];
}

test.skipIf(!canShowNotifications || !canMount)(
  'a warning of a session that ends at once is on the desktop and on the phone, in the environment of the SDK',
  async () => {
    const home = temporaryFolder();
    await using desktop = await startDesktopSession(home);
    await using phone = await startReceiver((response) => {
      setTimeout(() => response.end(), SERVICE_DELAY_MS);
    });
    const env = { ...sdkEnvironment(home), LOG_NOTIFY_WEBHOOK_URL: phone.url.href };
    {
      await using peer = await connectStdio(withUserBus(join(home, 'bus'), env), { era: 'modern' });
      const answer = await peer.callTool('notify', { message: 'The task is finished', level: 'warn' });
      expect(firstText(answer)).toBe('Notification sent: The task is finished');
    }
    expect(await desktop.shown(/\tappname: 'Deskside'[\s\S]*?\n\}/)).toContain(
      "body: 'The task is finished'",
    );
    expect(messagesAt(phone)).toStrictEqual(['The task is finished']);
    expect(readdirSync(join(home, '.local/state/deskside/log-notify-spool'))).toStrictEqual([]);
  },
);

test('a notification of a server that is killed arrives after the next start, once, with its time', async () => {
  const home = temporaryFolder();
  const closed = await startReceiver();
  await closed[Symbol.asyncDispose]();
  const env = { LOG_NOTIFY_WEBHOOK_URL: closed.url.href };
  const before = Date.now();
  {
    await using server = startProgram(bin(home, [], env));
    for (const line of [initialize, initialized, call(2, 'The task is finished')]) {
      server.child.stdin.write(`${JSON.stringify(line)}\n`);
    }
    await server.printed(/"id":2/);
    server.child.kill('SIGKILL');
    await server.exited;
  }
  const killedAt = Date.now();
  await using phone = await startReceiver(undefined, Number(closed.url.port));
  await using next = startProgram(bin(home, [], env));
  await vi.waitFor(() => expect(phone.received).toHaveLength(1), { timeout: 30_000 });
  next.child.stdin.end();
  expect(await next.exited).toBe(0);
  expect(messagesAt(phone)).toStrictEqual(['The task is finished']);
  const { timestamp } = JSON.parse(phone.received[0]?.body ?? '') as { timestamp: string };
  expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(timestamp)).toBeLessThanOrEqual(killedAt);
  expect(spooled(home)).toStrictEqual([]);
});

test('a server whose service hangs ends before the SDK kills it, and the next one delivers', async () => {
  const home = temporaryFolder();
  await using phone = await startReceiver((response, count) => {
    if (count > 1) response.end();
  });
  const command = bin(home, [], { LOG_NOTIFY_WEBHOOK_URL: phone.url.href });
  {
    await using peer = await connectStdio(command, { era: 'modern' });
    const answer = await peer.callTool('notify', { message: 'finished', level: 'error' });
    expect(answer.content[1]).toMatchObject({ text: expect.stringMatching(/may not see it now/) });
  }
  expect(spooled(home)).toHaveLength(1);
  {
    await using peer = await connectStdio(command, { era: 'modern' });
    await vi.waitFor(() => expect(phone.received).toHaveLength(2), { timeout: 30_000 });
    expect((await peer.listTools()).length).toBe(1);
  }
  expect(new Set(phone.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(spooled(home)).toStrictEqual([]);
});

/** All together fewer than a queue holds: what overflows is reported as lost. */
const ROUNDS = process.env['DESKSIDE_PROOF'] === '1' ? 40 : 2;
const CALLS = 20;
/** Each round starts a program. */
const ROUND_TIMEOUT_MS = 30_000;

test(
  'no answered notification is lost, at whatever answer the server is killed',
  async () => {
    const home = temporaryFolder();
    await using phone = await startReceiver((response) => response.end());
    const config = { LOG_NOTIFY_CONFIG: join(home, 'c.toml') };
    writeFileSync(
      config.LOG_NOTIFY_CONFIG,
      `[[webhook]]\nurl = "${phone.url.href}"\nrate = false\nfold = false\n`,
    );
    const answered = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      await using server = startProgram(bin(home, [], config));
      const messages = Array.from({ length: CALLS }, (_, index) => `round ${round} message ${index}`);
      const lines = [initialize, initialized, ...messages.map((message, index) => call(index + 2, message))];
      server.child.stdin.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      await server.printed(new RegExp(`"id":${2 + ((round * 7) % CALLS)}\\b`));
      server.child.kill('SIGKILL');
      await server.exited;
      for (const [index, message] of messages.entries()) {
        if (new RegExp(`"id":${index + 2}\\b`).test(server.stdout())) answered.add(message);
      }
    }
    expect(answered.size).toBeGreaterThan(0);
    await using last = startProgram(bin(home, [], config));
    const missing = () => {
      const stored = existsSync(join(home, 'state/deskside/notify.jsonl')) ? written(home) : [];
      const inFile = new Set(stored.map(({ message }) => message));
      const atPhone = new Set(messagesAt(phone));
      return [...answered].filter((each) => !inFile.has(each) || !atPhone.has(each));
    };
    await vi.waitFor(() => expect(missing()).toStrictEqual([]), { timeout: 30_000 });
    last.child.stdin.end();
    expect(await last.exited).toBe(0);
    expect(spooled(home)).toStrictEqual([]);
  },
  ROUNDS * ROUND_TIMEOUT_MS,
);

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };

function call(id: number, message: string): object {
  const params = { name: 'notify', arguments: { message, level: 'error' } };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}

import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import {
  connectStdio,
  firstText,
  IS_PROOF,
  randomOf,
  SEED,
  startProgram,
  temporaryFolder,
} from '@deskside/testkit';
import { expect, test, vi } from 'vitest';
import { bin, CLI, written } from './testing/bin.ts';
import { canShowNotifications, startDesktopSession } from './testing/desktop-session.ts';
import { linesOf, notifyCall, opening } from './testing/json-rpc.ts';
import { type Receiver, startReceiver } from './testing/receiver.ts';

/** How long a connection to ntfy takes from the other end of the world. */
const NTFY_DELAY_MS = 350;

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

/** What waits in the desk database: the process id of its owner, the sink and the state. */
function undelivered(home: string, state = 'state'): string[] {
  const file = join(home, state, 'deskside/desk.sqlite');
  if (!existsSync(file)) return [];
  const database = new DatabaseSync(file, { timeout: 1000 });
  try {
    const rows = database.prepare('SELECT owner, sink, state FROM deliveries').all();
    return rows.map(({ owner, sink, state: at }) =>
      [String(owner).split('.')[0], String(sink), String(at)].join(' '),
    );
  } finally {
    database.close();
  }
}

test.skipIf(!canShowNotifications || !canMount)(
  'a warning of a session that ends at once is on the desktop and on the phone, in the environment of the SDK',
  async () => {
    await using desktop = await startDesktopSession();
    const { home } = desktop;
    await using phone = await startReceiver((response) => {
      void setTimeout(NTFY_DELAY_MS).then(() => response.end());
    });
    const ntfy = { LOG_NOTIFY_NTFY_TOPIC: 'my-desk-7f3a9c', LOG_NOTIFY_NTFY_URL: phone.url.origin };
    const env = { ...sdkEnvironment(home), ...ntfy };
    {
      await using peer = await connectStdio(withUserBus(join(home, 'bus'), env), { era: 'modern' });
      const answer = await peer.callTool('notify', { message: 'The task is finished', level: 'warn' });
      expect(firstText(answer)).toBe('Notification sent: The task is finished');
    }
    expect(await desktop.shown(/\tappname: 'Deskside'[\s\S]*?\n\}/)).toContain(
      "body: 'The task is finished'",
    );
    expect(phone.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { topic: 'my-desk-7f3a9c', message: 'The task is finished', priority: 3 },
    ]);
    expect(undelivered(home, '.local/state')).toStrictEqual([]);
  },
);

/** All together fewer than the 10,000 that a queue holds: what overflows is reported as lost. */
const [ROUNDS, CALLS] = IS_PROOF ? [300, 9] : [4, 20];
/** Longer than a server needs from its start to the last delivery. */
const LAST_KILL_MS = 900;
const random = randomOf(SEED);

test('no answered notification is lost, at whatever moment the server is killed, and only a kill doubles one', async () => {
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
    const calls = messages.map((message, index) => notifyCall(index + 2, { message, level: 'error' }));
    server.child.stdin.write(linesOf([...opening, ...calls]));
    if (round % 2 === 0) await server.printed(new RegExp(`"id":${2 + ((round * 7) % CALLS)}\\b`));
    else await setTimeout(random(LAST_KILL_MS));
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
    const inFile = new Set(stored.flatMap(({ message }) => message ?? []));
    const atPhone = new Set(messagesAt(phone));
    // What was accepted without an answer is delivered, too; the end of the input would leave it less time.
    return [...answered, ...inFile].filter((each) => !inFile.has(each) || !atPhone.has(each));
  };
  // It takes over what the others left a moment after its start, and not at all if its input ends before.
  const leftByOthers = () => undelivered(home).filter((row) => !row.startsWith(`${last.child.pid} `));
  // Most messages of a thousand rounds may still wait.
  await vi.waitFor(() => expect([...missing(), ...leftByOthers()]).toStrictEqual([]), {
    timeout: 100_000,
    interval: 1000,
  });
  last.child.stdin.end();
  expect(await last.exited).toBe(0);
  expect(undelivered(home)).toStrictEqual([]);
  // One delivery at a time is in flight.
  const all = messagesAt(phone);
  expect(all.length - new Set(all).size).toBeLessThanOrEqual(ROUNDS);
});

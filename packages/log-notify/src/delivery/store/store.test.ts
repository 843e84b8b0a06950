import {
  appendFileSync,
  chmodSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fixedClock, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { sampleNotification } from '../../testing/delivery.ts';
import type { Leftovers, Route } from './leftovers.ts';
import type { Stage } from './lines.ts';
import type { SinkRecords } from './sink-records.ts';
import { Store } from './store.ts';

const DAY_MS = 24 * 3_600_000;

const clock = fixedClock('2026-11-21T12:00:00Z');

/** A loss of one warning. */
function lossBecause(cause: string, count = 1) {
  return {
    tally: { counts: { info: 0, warn: count, error: 0 }, lines: [expect.objectContaining({ count: 1 })] },
    causes: { [cause]: count },
  };
}

/** A server, and its part of each sink. */
class Server {
  readonly store: Store;
  readonly #sinks = new Map<string, SinkRecords>();

  constructor(store: Store) {
    this.store = store;
  }

  sink(key: string): SinkRecords {
    const sink = this.#sinks.get(key) ?? this.store.sink(key);
    this.#sinks.set(key, sink);
    return sink;
  }

  /** @returns its id */
  accept(message: string, stages: Readonly<Record<string, Stage>>, time = 0): string {
    const notification = sampleNotification(message, 'warn', 'llm', time);
    for (const [key, stage] of Object.entries(stages)) this.sink(key).add(notification, stage);
    this.store.accept(notification);
    return notification.id;
  }

  done(key: string, id: string): void {
    const delivery = this.sink(key).get(id);
    if (delivery !== undefined) this.sink(key).done([delivery]);
  }

  lost(key: string, id: string, cause: string): void {
    const delivery = this.sink(key).get(id);
    if (delivery !== undefined) this.sink(key).lost([delivery], cause);
  }
}

/** Servers on one machine: each has its own id, and those in the list run. */
function machine() {
  const folder = join(temporaryFolder(), 'spool');
  const running = new Set<number>();
  const reports: string[] = [];
  const start = (id: number) => {
    running.add(id);
    const owner = { id, isRunning: (other: number) => running.has(other), files: new Set<string>() };
    return new Server(new Store({ clock, folder, owner, report: (sentence) => void reports.push(sentence) }));
  };
  return { folder, running, reports, start };
}

/** A server that has every sink. */
const hasAll: Route = (sink) => ({ to: sink });

function only(name: string): Route {
  return (sink) => (sink === name ? { to: sink } : undefined);
}

function claimed({ store }: Server, time = 1000, route: Route = hasAll) {
  const all: Leftovers[] = [];
  store.claim(new Date(time), route, (leftovers) => void all.push(leftovers));
  const sum = (count: (leftovers: Leftovers) => number) =>
    all.reduce((total, each) => total + count(each), 0);
  return {
    notifications: all.flatMap(({ notifications }) => notifications),
    losses: new Map(all.flatMap(({ losses }) => Array.from(losses))),
    expired: sum(({ expired }) => expired),
    removed: sum(({ removed }) => removed),
  };
}

function summaryOf({ notifications }: Pick<Leftovers, 'notifications'>): unknown {
  return notifications.map(({ notification, sinks }) => [
    notification.message,
    Object.fromEntries([...sinks].map(([sink, { stage }]) => [sink, stage])),
  ]);
}

test('the next server gets what each sink of a killed one did not deliver, with id and time', () => {
  const { start, running } = machine();
  const killed = start(1);
  const first = killed.accept('a', { ntfy: 'queued', desktop: 'queued' });
  killed.accept('b', { ntfy: 'held' }, 7);
  killed.done('ntfy', first);
  running.delete(1);
  const leftovers = claimed(start(2));
  expect(summaryOf(leftovers)).toStrictEqual([
    ['a', { desktop: 'queued' }],
    ['b', { ntfy: 'held' }],
  ]);
  expect(leftovers.notifications[1]?.notification).toMatchObject({ time: 7, id: expect.stringMatching(/-/) });
});

test('a file is claimed once, and never from a server that runs', () => {
  const { start, running } = machine();
  start(1).accept('a', { ntfy: 'queued' });
  expect(summaryOf(claimed(start(2)))).toStrictEqual([]);
  running.delete(1);
  const [third, fourth] = [start(3), start(4)];
  expect(summaryOf(claimed(third))).toHaveLength(1);
  expect(summaryOf(claimed(fourth))).toStrictEqual([]);
});

test('a process id that another program uses again protects a file for a day only', () => {
  const { start, folder } = machine();
  start(1).accept('a', { ntfy: 'queued' });
  const [file = ''] = readdirSync(folder);
  const old = new Date(Date.now() - DAY_MS - 60_000);
  utimesSync(join(folder, file), old, old);
  expect(summaryOf(claimed(start(2)))).toHaveLength(1);
});

test('a file of another machine or container is claimed after ten minutes without a sign of life', () => {
  const { start, folder } = machine();
  const notification = sampleNotification('a');
  const line = { accepted: notification.id, sinks: { ntfy: 'queued' }, notification };
  start(1).accept('own', { ntfy: 'queued' });
  const file = join(folder, 'otherhst-2-00000000-0000-4000-8000-000000000000.jsonl');
  writeFileSync(file, `${JSON.stringify(line)}\n`);
  const spool = start(3);
  expect(summaryOf(claimed(spool))).toStrictEqual([]);
  const old = new Date(Date.now() - 601_000);
  utimesSync(file, old, old);
  expect(summaryOf(claimed(spool))).toStrictEqual([['a', { ntfy: 'queued' }]]);
});

test('a process id of this server before a restart of its container is no protection', () => {
  const { start } = machine();
  start(1).accept('a', { ntfy: 'queued' });
  expect(summaryOf(claimed(start(1)))).toHaveLength(1);
});

test('what is older than a week is dropped and counted', () => {
  const { start, running } = machine();
  const killed = start(1);
  killed.accept('old', { ntfy: 'queued' }, 0);
  killed.accept('new', { ntfy: 'queued' }, 7 * DAY_MS);
  running.delete(1);
  const leftovers = claimed(start(2), 7 * DAY_MS + 1);
  expect(summaryOf(leftovers)).toStrictEqual([['new', { ntfy: 'queued' }]]);
  expect(leftovers.expired).toBe(1);
});

test('losses that were not reported survive, and reported ones do not', () => {
  const { start, running } = machine();
  const killed = start(1);
  for (const message of ['a', 'b']) killed.lost('ntfy', killed.accept(message, { ntfy: 'queued' }), 'of 404');
  killed.lost('slack', killed.accept('c', { slack: 'queued' }), 'of 404');
  killed.sink('slack').nextNotice(1000);
  killed.sink('slack').reported();
  running.delete(1);
  const { notifications, losses } = claimed(start(2));
  expect(notifications).toStrictEqual([]);
  expect([...losses.keys()]).toStrictEqual(['ntfy']);
  expect(losses.get('ntfy')).toMatchObject({
    tally: { counts: { info: 0, warn: 2, error: 0 }, lines: [{ text: 'a' }, { text: 'b' }] },
    causes: { 'of 404': 2 },
  });
});

test('the attempts of a notification survive, also if the file was rewritten', () => {
  const { start, running } = machine();
  const killed = start(1);
  const poison = killed.sink('ntfy').get(killed.accept('poison', { ntfy: 'queued' }));
  if (poison === undefined) throw new Error('not accepted');
  killed.sink('ntfy').failed([poison], { count: 4, successes: 9, notBefore: 7 });
  for (let index = 0; index < 300; index += 1)
    killed.done('slack', killed.accept('x'.repeat(5000), { slack: 'queued' }));
  running.delete(1);
  const { notifications } = claimed(start(2));
  expect(notifications.map(({ sinks }) => sinks.get('ntfy')?.attempts)).toStrictEqual([4]);
});

test('the file has mode 0600, is empty when nothing waits, and is deleted at the end', () => {
  const { start, folder } = machine();
  const spool = start(1);
  const ticket = spool.accept('a', { ntfy: 'queued' });
  const file = join(folder, readdirSync(folder)[0] ?? '');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  spool.done('ntfy', ticket);
  expect(statSync(file).size).toBe(0);
  spool.store.close();
  expect(readdirSync(folder)).toStrictEqual([]);
});

test('lines that a crash cut off are skipped, and the others count', () => {
  const { start, folder, running } = machine();
  const killed = start(1);
  killed.accept('a', { ntfy: 'queued' });
  const file = join(folder, readdirSync(folder)[0] ?? '');
  appendFileSync(file, '{"accepted":2,"sinks":{"nt');
  appendFileSync(file, '\n{"accepted":3}\n[]\n7\n');
  running.delete(1);
  expect(summaryOf(claimed(start(2)))).toStrictEqual([['a', { ntfy: 'queued' }]]);
});

test('a large file is rewritten with what waits', () => {
  const { start, folder, running } = machine();
  const spool = start(1);
  spool.accept('waits', { ntfy: 'queued', slack: 'held' });
  for (let index = 0; index < 500; index += 1) {
    spool.done('ntfy', spool.accept(`${index} ${'x'.repeat(5000)}`, { ntfy: 'queued' }));
  }
  const files = readdirSync(folder);
  expect(files).toHaveLength(1);
  expect(statSync(join(folder, files[0] ?? '')).size).toBeLessThan(1_100_000);
  running.delete(1);
  expect(summaryOf(claimed(start(2)))).toStrictEqual([['waits', { ntfy: 'queued', slack: 'held' }]]);
});

test('the stored notifications are limited, and the limit is reported once', () => {
  const { start, reports, folder } = machine();
  const spool = start(1);
  const ids = Array.from({ length: 20 }, () => spool.accept('x'.repeat(1_000_000), { ntfy: 'queued' }));
  expect(spool.store.waiting).toStrictEqual({ count: 20, unwritten: 12 });
  expect(reports).toStrictEqual(['The spool is full. What arrives now is lost if the server is killed.']);
  expect(readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'utf8').length).toBeLessThan(9_000_000);
  // What has room meanwhile is stored at the end, and the rest is counted as lost.
  for (const id of ids.slice(0, 3)) spool.done('ntfy', id);
  spool.store.close();
  expect(spool.store.waiting).toStrictEqual({ count: 17, unwritten: 9 });
});

test('a new target of a sink gets what waited for the old one', () => {
  const { start, running } = machine();
  const killed = start(1);
  killed.accept('a', { old: 'queued' });
  killed.sink('old').move('new');
  running.delete(1);
  expect(summaryOf(claimed(start(2)))).toStrictEqual([['a', { new: 'queued' }]]);
});

test('a server takes what is for its sinks, and leaves the rest to the next one', () => {
  const { start, running, folder } = machine();
  const killed = start(1);
  killed.accept('a', { ntfy: 'queued', slack: 'held' });
  killed.accept('b', { slack: 'queued' });
  running.delete(1);
  killed.lost('slack', killed.accept('c', { slack: 'queued' }), 'of 404');
  const before = readdirSync(folder);
  expect(summaryOf(claimed(start(2), 1000, only('discord')))).toStrictEqual([]);
  expect(summaryOf(claimed(start(3), 1000, only('ntfy')))).toStrictEqual([['a', { ntfy: 'queued' }]]);
  expect(readdirSync(folder)).toStrictEqual(before);
  expect(statSync(join(folder, before[0] ?? '')).mode & 0o777).toBe(0o600);
  const left = claimed(start(4), 1000, only('slack'));
  expect(summaryOf(left)).toStrictEqual([
    ['a', { slack: 'held' }],
    ['b', { slack: 'queued' }],
  ]);
  expect([...left.losses]).toStrictEqual([['slack', lossBecause('of 404')]]);
  expect(readdirSync(folder)).toStrictEqual([]);
});

test.each([
  ['empty', 0],
  ['rewritten', 300],
])('the next server learns where the settings of the sinks were, also after the file was %s', (_, count) => {
  const { start, running } = machine();
  const killed = start(1);
  const origins = { ntfy: { config: '/c.toml', name: 'ntfy' } };
  killed.store.know({});
  killed.store.know(origins);
  killed.done('ntfy', killed.accept('done', { ntfy: 'queued' }));
  killed.accept('a', { ntfy: 'queued' });
  for (let index = 0; index < count; index += 1) {
    killed.done('slack', killed.accept('x'.repeat(5000), { slack: 'queued' }));
  }
  running.delete(1);
  const learned: unknown[] = [];
  const { removed } = claimed(start(2), 1000, (_, known) => {
    learned.push(known);
    return 'removed';
  });
  expect(learned).toContainEqual(origins);
  expect(learned).not.toContainEqual({});
  expect(removed).toBe(1);
});

test.each([
  ['what waits', (server: Server) => void server.accept('a', { ntfy: 'queued' })],
  [
    'a loss that was not reported',
    (server: Server) => server.lost('ntfy', server.accept('a', { ntfy: 'queued' }), 'of a test'),
  ],
])('the next server learns new settings of the sinks that came after %s', (_, store) => {
  const { start, running } = machine();
  const killed = start(1);
  killed.store.know({});
  store(killed);
  const origins = { ntfy: { config: '/c.toml', name: 'phone' } };
  killed.store.know(origins);
  running.delete(1);
  const learned: unknown[] = [];
  claimed(start(2), 1000, (sink, known) => {
    learned.push(known);
    return { to: sink };
  });
  expect(learned.at(-1)).toStrictEqual(origins);
});

test('a folder that cannot be written is reported once, and nothing throws', () => {
  const { reports, running } = machine();
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  chmodSync(file, 0o600);
  const owner = { id: 1, isRunning: (id: number) => running.has(id), files: new Set<string>() };
  const report = (each: string) => void reports.push(each);
  const spool = new Server(new Store({ clock, folder: join(file, 'below'), owner, report }));
  for (const message of ['a', 'b']) spool.done('ntfy', spool.accept(message, { ntfy: 'queued' }));
  spool.store.close();
  expect(claimed(spool).notifications).toStrictEqual([]);
  expect(reports).toStrictEqual([expect.stringMatching(/cannot be written \(ENOTDIR\)/)]);
});

test('a notification of more than a megabyte is counted once, and nothing of it stays when it was delivered', () => {
  const { start, folder } = machine();
  const spool = start(1);
  const id = spool.accept('x'.repeat(1_100_000), { file: 'queued' });
  expect(spool.store.waiting).toStrictEqual({ count: 1, unwritten: 0 });
  spool.done('file', id);
  expect(spool.store.waiting).toStrictEqual({ count: 0, unwritten: 0 });
  spool.store.close();
  expect(readdirSync(folder)).toStrictEqual([]);
});

test('a server whose file was taken over while it slept stores what waits in a new one', () => {
  const { start, folder, running } = machine();
  const slept = start(1);
  slept.accept('before', { ntfy: 'queued' });
  const [file = ''] = readdirSync(folder);
  const old = new Date(Date.now() - DAY_MS - 60_000);
  utimesSync(join(folder, file), old, old);
  expect(summaryOf(claimed(start(2)))).toHaveLength(1);
  slept.accept('after', { ntfy: 'queued' });
  running.delete(1);
  expect(summaryOf(claimed(start(3)))).toStrictEqual([
    ['before', { ntfy: 'queued' }],
    ['after', { ntfy: 'queued' }],
  ]);
});

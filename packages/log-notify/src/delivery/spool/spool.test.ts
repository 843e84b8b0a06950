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
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { sampleNotification } from '../../testing/delivery.ts';
import type { Leftovers, Route } from './leftovers.ts';
import { Spool, type Stage } from './spool.ts';

const DAY_MS = 24 * 3_600_000;

const loss = { tally: { counts: { info: 0, warn: 1, error: 0 }, lines: [] }, causes: { 'a test': 1 } };

/** Servers on one machine: each has its own id, and those in the list run. */
function machine() {
  const folder = join(temporaryFolder(), 'spool');
  const running = new Set<number>();
  const reports: string[] = [];
  const start = (id: number) => {
    running.add(id);
    const owner = { id, isRunning: (other: number) => running.has(other), files: new Set<string>() };
    return new Spool({ folder, owner, report: (sentence) => void reports.push(sentence) });
  };
  return { folder, running, reports, start };
}

function accept(spool: Spool, message: string, stages: Readonly<Record<string, Stage>>, time = 0): number {
  const ticket = spool.nextTicket();
  spool.accept(ticket, sampleNotification(message, 'warn', 'llm', time), new Map(Object.entries(stages)));
  return ticket;
}

/** A server that has every sink. */
const hasAll: Route = (sink) => ({ to: sink });

function only(name: string): Route {
  return (sink) => (sink === name ? { to: sink } : undefined);
}

function claimed(spool: Spool, time = 1000, route: Route = hasAll) {
  const all: Leftovers[] = [];
  spool.claim(new Date(time), route, (leftovers) => void all.push(leftovers));
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
  return notifications.map(({ notification, sinks }) => [notification.message, Object.fromEntries(sinks)]);
}

test('the next server gets what each sink of a killed one did not deliver, with id and time', () => {
  const { start, running } = machine();
  const killed = start(1);
  const first = accept(killed, 'a', { ntfy: 'queued', desktop: 'queued' });
  accept(killed, 'b', { ntfy: 'held' }, 7);
  killed.done('ntfy', [first]);
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
  accept(start(1), 'a', { ntfy: 'queued' });
  expect(summaryOf(claimed(start(2)))).toStrictEqual([]);
  running.delete(1);
  const [third, fourth] = [start(3), start(4)];
  expect(summaryOf(claimed(third))).toHaveLength(1);
  expect(summaryOf(claimed(fourth))).toStrictEqual([]);
});

test('a process id that another program uses again protects a file for a day only', () => {
  const { start, folder } = machine();
  accept(start(1), 'a', { ntfy: 'queued' });
  const [file = ''] = readdirSync(folder);
  const old = new Date(Date.now() - DAY_MS - 60_000);
  utimesSync(join(folder, file), old, old);
  expect(summaryOf(claimed(start(2)))).toHaveLength(1);
});

test('a file of another machine or container is claimed after ten minutes without a sign of life', () => {
  const { start, folder } = machine();
  const line = { accepted: 1, sinks: { ntfy: 'queued' }, notification: sampleNotification('a') };
  accept(start(1), 'own', { ntfy: 'queued' });
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
  accept(start(1), 'a', { ntfy: 'queued' });
  expect(summaryOf(claimed(start(1)))).toHaveLength(1);
});

test('what is older than a week is dropped and counted', () => {
  const { start, running } = machine();
  const killed = start(1);
  accept(killed, 'old', { ntfy: 'queued' }, 0);
  accept(killed, 'new', { ntfy: 'queued' }, 7 * DAY_MS);
  running.delete(1);
  const leftovers = claimed(start(2), 7 * DAY_MS + 1);
  expect(summaryOf(leftovers)).toStrictEqual([['new', { ntfy: 'queued' }]]);
  expect(leftovers.expired).toBe(1);
});

test('losses that were not reported survive, and reported ones do not', () => {
  const { start, running } = machine();
  const killed = start(1);
  const lost = { tally: { counts: { info: 0, warn: 1, error: 0 }, lines: [] }, causes: { 'of 404': 1 } };
  killed.lost('ntfy', [accept(killed, 'a', { ntfy: 'queued' })], lost);
  killed.lost('ntfy', [accept(killed, 'b', { ntfy: 'queued' })], lost);
  killed.lost('slack', [accept(killed, 'c', { slack: 'queued' })], lost);
  killed.reported('slack');
  running.delete(1);
  const { notifications, losses } = claimed(start(2));
  expect(notifications).toStrictEqual([]);
  expect([...losses]).toStrictEqual([
    ['ntfy', { tally: { counts: { info: 0, warn: 2, error: 0 }, lines: [] }, causes: { 'of 404': 2 } }],
  ]);
});

test('the file has mode 0600, is empty when nothing waits, and is deleted at the end', () => {
  const { start, folder } = machine();
  const spool = start(1);
  const ticket = accept(spool, 'a', { ntfy: 'queued' });
  const file = join(folder, readdirSync(folder)[0] ?? '');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  spool.done('ntfy', [ticket]);
  expect(statSync(file).size).toBe(0);
  spool.close();
  expect(readdirSync(folder)).toStrictEqual([]);
});

test('lines that a crash cut off are skipped, and the others count', () => {
  const { start, folder, running } = machine();
  const killed = start(1);
  accept(killed, 'a', { ntfy: 'queued' });
  const file = join(folder, readdirSync(folder)[0] ?? '');
  appendFileSync(file, '{"accepted":2,"sinks":{"nt');
  appendFileSync(file, '\n{"accepted":3}\n[]\n7\n');
  running.delete(1);
  expect(summaryOf(claimed(start(2)))).toStrictEqual([['a', { ntfy: 'queued' }]]);
});

test('a large file is rewritten with what waits', () => {
  const { start, folder, running } = machine();
  const spool = start(1);
  accept(spool, 'waits', { ntfy: 'queued', slack: 'held' });
  for (let index = 0; index < 500; index += 1) {
    spool.done('ntfy', [accept(spool, `${index} ${'x'.repeat(5000)}`, { ntfy: 'queued' })]);
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
  for (let index = 0; index < 20; index += 1) accept(spool, 'x'.repeat(1_000_000), { ntfy: 'queued' });
  expect(spool.size).toBe(8);
  expect(reports).toStrictEqual(['The spool is full. What arrives now is lost if the server is killed.']);
  expect(readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'utf8').length).toBeLessThan(9_000_000);
});

test('a new target of a sink gets what waited for the old one', () => {
  const { start, running } = machine();
  const killed = start(1);
  accept(killed, 'a', { old: 'queued' });
  killed.moved('old', 'new');
  running.delete(1);
  expect(summaryOf(claimed(start(2)))).toStrictEqual([['a', { new: 'queued' }]]);
});

test('a server takes what is for its sinks, and leaves the rest to the next one', () => {
  const { start, running, folder } = machine();
  const killed = start(1);
  accept(killed, 'a', { ntfy: 'queued', slack: 'held' });
  accept(killed, 'b', { slack: 'queued' });
  running.delete(1);
  const lost = { tally: { counts: { info: 0, warn: 1, error: 0 }, lines: [] }, causes: { 'of 404': 1 } };
  killed.lost('slack', [], lost);
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
  expect([...left.losses]).toStrictEqual([['slack', lost]]);
  expect(readdirSync(folder)).toStrictEqual([]);
});

test('the next server learns where the settings of the sinks were, also after the file was empty or rewritten', () => {
  const { start, running } = machine();
  const killed = start(1);
  const origins = { ntfy: { config: '/c.toml', name: 'ntfy' } };
  killed.know({});
  killed.done('ntfy', [accept(killed, 'done', { ntfy: 'queued' })]);
  killed.know(origins);
  accept(killed, 'a', { ntfy: 'queued' });
  for (let index = 0; index < 300; index += 1) {
    killed.done('slack', [accept(killed, 'x'.repeat(5000), { slack: 'queued' })]);
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
  ['what waits', (spool: Spool) => void accept(spool, 'a', { ntfy: 'queued' })],
  ['a loss that was not reported', (spool: Spool) => spool.lost('ntfy', [], loss)],
])('the next server learns new settings of the sinks that came after %s', (_, store) => {
  const { start, running } = machine();
  const killed = start(1);
  killed.know({});
  store(killed);
  const origins = { ntfy: { config: '/c.toml', name: 'phone' } };
  killed.know(origins);
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
  const spool = new Spool({ folder: join(file, 'below'), owner, report: (each) => void reports.push(each) });
  for (const message of ['a', 'b']) spool.done('ntfy', [accept(spool, message, { ntfy: 'queued' })]);
  spool.close();
  expect(claimed(spool).notifications).toStrictEqual([]);
  expect(reports).toStrictEqual([expect.stringMatching(/cannot be written \(ENOTDIR\)/)]);
});

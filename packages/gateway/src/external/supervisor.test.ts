import { createLog } from '@deskside/core';
import { messageOf } from '@deskside/core/errors';
import { describe, expect, onTestFinished, test } from 'vitest';
import { trustingSource } from '../testing/external.ts';
import { listingOf, manualTimer } from '../testing/fake.ts';
import { end, hang, malformed, type Play, refuse, ScriptedServer } from '../testing/scripted.ts';
import type { ServerListing } from './listing.ts';
import { DEFAULT_LIMITS } from './external-mount.ts';
import { Supervisor } from './supervisor.ts';

const never = new AbortController().signal;

/** Attaches a handler at once: the failure may come before the test awaits it. */
const failureOf = (work: Promise<unknown>) => work.then(() => 'none', messageOf);

const ERAS = ['legacy', 'modern'] as const;
/** Not as long as the longest pause. */
const START_LIMIT_MS = 45_000;
const LISTING_LIMIT_MS = 20_000;
const LISTING_PAUSE_MS = 1000;
const { idleMs } = DEFAULT_LIMITS;

function supervised(server: ScriptedServer, accepted?: ServerListing, onListing?: () => void) {
  const timer = manualTimer();
  const clock = { ms: 0 };
  const lines: string[] = [];
  const listings: ServerListing[] = [];
  const log = createLog({ level: 'info', write: (line) => lines.push(line) });
  const events: string[] = [];
  const stderr: ((line: string) => void)[] = [];
  const supervisor = new Supervisor({
    id: 'x',
    title: 'scripted',
    redact: (text) => text,
    server: async () => ({ command: 'scripted' }),
    limits: { ...DEFAULT_LIMITS, startMs: START_LIMIT_MS },
    openTransport(address, options) {
      stderr.push(options.onStderr);
      return server.openTransport(address, options);
    },
    log,
    source: trustingSource(accepted),
    capabilities: {},
    startTimer: timer.startTimer,
    clock: { elapsedMs: () => clock.ms },
    triesAlone: true,
    events: {
      onUpdated: (uri) => events.push(uri),
      onMessage: () => undefined,
      onQuestion: async () => ({}),
    },
    onListing(listing) {
      listings.push(listing);
      onListing?.();
    },
    onIdle: () => events.push('idle'),
  });
  onTestFinished(() => supervisor.close());
  const call = (name = 'echo', signal = never) =>
    supervisor.use(signal, (connection) =>
      connection.request('tools/call', { name, arguments: {} }, { signal }),
    );
  const logged = (text: string) => lines.filter((line) => line.includes(text));
  return { supervisor, timer, clock, listings, events, stderr, call, logged };
}

describe.each(ERAS)('a server of the %s era', (era) => {
  /** Whose changes it was asked for; in the modern era again with each stream. */
  const watchedAt = (server: ScriptedServer): readonly unknown[] =>
    era === 'legacy'
      ? server.asked('resources/subscribe').map(({ uri }) => uri)
      : server
          .asked('subscriptions/listen')
          .flatMap(({ notifications }) => Object(notifications).resourceSubscriptions ?? []);

  test('that refuses a resource reports changes of the others, which is logged once, and is asked for it again', async () => {
    const server = new ScriptedServer(era);
    const gone: Play = (request, start) =>
      (JSON.stringify(request.params).includes('a://gone') ? refuse(-32_602) : server.answer.bind(server))(
        request,
        start,
      );
    server.plays = { 'resources/subscribe': gone, 'subscriptions/listen': gone };
    const { supervisor, logged } = supervised(server);
    supervisor.watch(new Set(['a://gone', 'a://one', 'a://two']));
    await expect.poll(() => logged('does not report changes')).toHaveLength(1);
    expect(logged('does not report changes')[0]).toMatch(/a:\/\/gone.*refused/);
    expect(watchedAt(server).slice(-2)).toStrictEqual(['a://one', 'a://two']);
    supervisor.watch(new Set(['a://gone', 'a://one', 'a://two', 'a://three']));
    const times = () => watchedAt(server).filter((uri) => uri === 'a://gone').length;
    // Of the modern era each time with the others, and then alone.
    await expect.poll(times).toBe(era === 'legacy' ? 2 : 4);
    expect(watchedAt(server)).toContain('a://three');
    server.plays = {};
    supervisor.watch(new Set(['a://gone', 'a://one']));
    await expect.poll(times).toBe(era === 'legacy' ? 3 : 5);
    // Each stream but the last one ends.
    const ended = era === 'legacy' ? 'resources/unsubscribe' : 'notifications/cancelled';
    await expect.poll(() => server.asked(ended)).toHaveLength(era === 'legacy' ? 2 : 4);
    expect(logged('does not report changes')).toHaveLength(1);
  });

  test.each([['exit code 0'], [undefined]])(
    'that ends (%s) while it is not used is started again by the next call only',
    async (exit) => {
      const server = new ScriptedServer(era);
      const { supervisor, call, timer, logged } = supervised(server);
      await call();
      server.running.end(exit);
      expect(supervisor).toMatchObject({ reason: undefined, isRunning: false });
      expect(timer.running()).toStrictEqual([]);
      expect(logged('external server has ended')).toHaveLength(1);
      await call();
      expect(server.starts).toHaveLength(2);
    },
  );

  test.each<readonly [string, Play, string]>([
    ['hang', hang, 'It does not answer.'],
    ['are malformed', malformed, 'It cannot be used: Invalid result'],
  ])('whose lists %s is not used, and its start is ended', async (_, play, reason) => {
    const server = new ScriptedServer(era, { 'tools/list': play });
    const { supervisor, call, timer, listings } = supervised(server);
    const failed = failureOf(call());
    await expect.poll(() => server.asked('tools/list')).toHaveLength(1);
    timer.ring(LISTING_LIMIT_MS);
    expect(await failed).toContain(`x is not available. ${reason}`);
    expect(supervisor.reason).toContain(reason);
    expect(server.running.isClosed).toBe(true);
    expect(listings).toStrictEqual([]);
  });

  test('that announces changes is read again at once, and then at most once per second', async () => {
    const server = new ScriptedServer(era);
    const { call, timer, listings } = supervised(server);
    const changed = () => server.running.say({ method: 'notifications/tools/list_changed' });
    const names = () => listings.at(-1)?.tools.map(({ name }) => name);
    await call();
    const reads = () => server.asked('tools/list').length;
    expect(reads()).toBe(1);
    server.tools = ['echo', 'second'];
    changed();
    await expect.poll(names).toStrictEqual(['echo', 'second']);
    await expect.poll(timer.running).toContain(LISTING_PAUSE_MS);
    server.tools = ['echo', 'second', 'third'];
    for (let count = 0; count < 10; count += 1) changed();
    await call();
    expect(reads()).toBe(2);
    timer.ring(LISTING_PAUSE_MS);
    await expect.poll(names).toStrictEqual(['echo', 'second', 'third']);
    await expect.poll(timer.running).toContain(LISTING_PAUSE_MS);
    timer.ring(LISTING_PAUSE_MS);
    expect(timer.running()).toStrictEqual([idleMs]);
    expect(reads()).toBe(3);
  });

  test('whose list changes while it starts is read again', async () => {
    const server = new ScriptedServer(era);
    server.plays = {
      'resources/list': (request, start) => {
        if (server.tools.length === 1) start.say({ method: 'notifications/tools/list_changed' });
        server.tools = ['echo', 'late'];
        return server.answer(request, start);
      },
    };
    const { call, listings } = supervised(server);
    await call();
    await expect.poll(() => listings.at(-1)?.tools).toHaveLength(2);
  });

  test('whose changed lists are malformed is not used any more, and open calls still get their answers', async () => {
    const server = new ScriptedServer(era, { 'tools/call': hang });
    const { supervisor, call } = supervised(server);
    const answer = call();
    await expect.poll(() => server.running.received.at(-1)?.method).toBe('tools/call');
    const { id } = server.running.received.at(-1) ?? {};
    server.plays = { 'tools/list': malformed };
    const first = server.running;
    first.say({ method: 'notifications/tools/list_changed' });
    await expect.poll(() => supervisor.reason).toContain('Invalid result');
    expect([supervisor.isRunning, first.isClosed]).toStrictEqual([false, false]);
    first.say({ id, result: { resultType: 'complete', content: [] } });
    expect(await answer).toMatchObject({ content: [] });
    await expect.poll(() => first.isClosed).toBe(true);
  });

  test('is stopped when it is idle, but not while it is called', async () => {
    const server = new ScriptedServer(era, { 'tools/call': hang });
    const { supervisor, call, timer, events } = supervised(server);
    const caller = new AbortController();
    const cancelled = failureOf(call('echo', caller.signal));
    await expect.poll(() => server.asked('tools/call')).toHaveLength(1);
    expect(supervisor.isUsed).toBe(true);
    expect(timer.running()).toStrictEqual([]);
    caller.abort();
    expect(await cancelled).not.toBe('none');
    expect(timer.running()).toStrictEqual([idleMs]);
    timer.ring(idleMs);
    await expect.poll(() => server.running.isClosed).toBe(true);
    expect(events).toStrictEqual(['idle']);
    expect(supervisor).toMatchObject({ isRunning: false, reason: undefined });
    expect(timer.running()).toStrictEqual([]);
  });

  test('is not stopped while a resource is watched, and watches it again after a restart', async () => {
    const server = new ScriptedServer(era);
    const { supervisor, timer, events } = supervised(server);
    const watched = () => watchedAt(server);
    supervisor.watch(new Set());
    supervisor.watch(new Set(['a://one']));
    await expect.poll(watched).toStrictEqual(['a://one']);
    server.running.say({ method: 'notifications/resources/updated', params: { uri: 'a://one' } });
    await expect.poll(() => events).toStrictEqual(['a://one']);
    expect(timer.running()).toStrictEqual([]);
    server.running.end('SIGKILL');
    expect(supervisor.reason).toBe('It ended (SIGKILL).');
    timer.ring(1000);
    await expect.poll(watched).toStrictEqual(['a://one', 'a://one']);
    supervisor.watch(new Set(['a://one', 'a://two']));
    expect(timer.running()).toStrictEqual([]);
    supervisor.watch(new Set());
    supervisor.watch(new Set());
    expect(timer.running()).toStrictEqual([idleMs]);
  });

  test('is ended by closing, also while it starts', async () => {
    const server = new ScriptedServer(era, { 'tools/list': hang });
    const { supervisor, call, timer } = supervised(server);
    const failed = failureOf(call());
    await expect.poll(() => server.asked('tools/list')).toHaveLength(1);
    await supervisor.close();
    expect(await failed).not.toBe('none');
    expect(server.running.isClosed).toBe(true);
    expect(timer.running()).toStrictEqual([]);
    await expect(call()).rejects.toThrow('x is closing.');
    expect(server.starts).toHaveLength(1);
  });
});

test('a server that fails is tried again with longer and longer pauses of at most a minute', async () => {
  const server = new ScriptedServer('legacy', { initialize: refuse(-32_000) });
  const { call, timer, clock, supervisor } = supervised(server, listingOf('echo'));
  // The limit of a start is as long as the longest pause.
  const pauseAfterEnd = () => (server.running.isClosed ? timer.running() : []);
  await expect(call()).rejects.toThrow('x is not available. It refuses to start (error -32000).');
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    await expect.poll(pauseAfterEnd).toStrictEqual([seconds * 1000]);
    timer.ring(seconds * 1000);
  }
  await expect.poll(pauseAfterEnd).toStrictEqual([60_000]);
  const starts = server.starts.length;
  clock.ms = 30_500;
  await expect(call()).rejects.toMatchObject({
    failure: {
      error: 'x is not available. It refuses to start (error -32000).',
      hint: 'Continue without it. It is tried again in 30 s.',
    },
  });
  expect(server.starts).toHaveLength(starts);
  // A call waits for an attempt that is due soon.
  clock.ms = 58_000;
  server.plays = {};
  await call();
  expect(server.starts).toHaveLength(starts + 1);
  expect(supervisor.reason).toBeUndefined();
  server.running.end('SIGKILL');
  expect(timer.running()).toStrictEqual([1000]);
});

test('the same failure is logged once', async () => {
  const server = new ScriptedServer('legacy', { initialize: end('exit code 1') });
  const { call, timer, logged } = supervised(server, listingOf('echo'));
  await expect(call()).rejects.toThrow('It ended (exit code 1).');
  timer.ring(1000);
  await expect.poll(timer.running).toStrictEqual([2000]);
  expect(logged('external server not available')).toHaveLength(1);
  server.plays = { initialize: end('exit code 2') };
  timer.ring(2000);
  await expect.poll(timer.running).toStrictEqual([4000]);
  expect(logged('external server not available')).toHaveLength(2);
});

test('a server that is known to be of the legacy era is not asked for its era, until a start fails', async () => {
  const server = new ScriptedServer('legacy');
  const { call } = supervised(server, listingOf('echo'));
  await call();
  expect(server.asked('server/discover')).toHaveLength(0);
  server.running.end('exit code 0');
  server.plays = { initialize: refuse(-32_000) };
  await expect(call()).rejects.toThrow('It refuses to start');
  server.plays = {};
  await call();
  expect(server.asked('server/discover')).toHaveLength(1);
});

test('a cancelled call does not wait for the start', async () => {
  const server = new ScriptedServer('legacy', { initialize: hang });
  const { call } = supervised(server);
  const caller = new AbortController();
  const cancelled = failureOf(call('echo', caller.signal));
  caller.abort(new Error('enough'));
  expect(await cancelled).toContain('enough');
  await expect(call('echo', AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
});

test('of what a server prints on stderr the first thousand lines of each start are logged, escaped', async () => {
  const server = new ScriptedServer('legacy');
  const { call, stderr, logged } = supervised(server);
  await call();
  for (let count = 1; count <= 1100; count += 1) stderr[0]?.(`line ${count}\u202e`);
  expect(logged('line ')).toHaveLength(1000);
  expect(logged('line ').at(-1)).toContain(String.raw`line 1000\\u{202e}`);
  expect(logged('no further lines')).toHaveLength(1);
  server.running.end('exit code 0');
  await call();
  stderr[1]?.('of the second start');
  expect(logged('of the second start')).toHaveLength(1);
});

test('a modern server that refuses another stream of changes for a while is asked again', async () => {
  const server = new ScriptedServer('modern');
  const { call, timer } = supervised(server);
  const streams = () => server.running.received.filter(({ method }) => method === 'subscriptions/listen');
  await call();
  await expect.poll(streams).toHaveLength(1);
  server.plays = { 'subscriptions/listen': refuse(-32_000) };
  server.running.say({ method: 'notifications/cancelled', params: { requestId: streams()[0]?.id } });
  await expect.poll(timer.running).toContain(5000);
  timer.ring(5000);
  await expect.poll(streams).toHaveLength(2);
  await expect.poll(timer.running).toContain(5000);
  server.plays = {};
  timer.ring(5000);
  await expect.poll(streams).toHaveLength(3);
});

test('a server that is closed at the last moment of its start does not run', async () => {
  const server = new ScriptedServer('legacy');
  const closed = Promise.withResolvers<void>();
  const { supervisor, call } = supervised(server, undefined, () =>
    queueMicrotask(() => closed.resolve(supervisor.close())),
  );
  const first = failureOf(call());
  await closed.promise;
  expect(server.running.isClosed).toBe(true);
  expect(await failureOf(call())).toContain('is closing');
  expect(await first).not.toBe('none');
});

test('closing also ends what was dropped while a call was running', async () => {
  const server = new ScriptedServer('legacy', { 'tools/call': hang });
  const { supervisor, call } = supervised(server);
  const hanging = failureOf(call());
  await expect.poll(() => server.asked('tools/call')).toHaveLength(1);
  await supervisor.use(never, async (connection) => supervisor.drop(connection, 'It is broken.'));
  expect(server.running.isClosed).toBe(false);
  await supervisor.close();
  expect(server.running.isClosed).toBe(true);
  expect(await hanging).toBe('Connection closed');
});

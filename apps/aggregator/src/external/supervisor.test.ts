import { createLog } from '@deskside/core';
import { expect, onTestFinished, test } from 'vitest';
import { trustingSource } from '../testing/external.ts';
import { manualTimer } from '../testing/fake.ts';
import { refuse, ScriptedServer } from '../testing/scripted.ts';
import type { ServerListing } from './listing.ts';
import { DEFAULT_LIMITS } from './open.ts';
import { Supervisor } from './supervisor.ts';

const never = new AbortController().signal;

function supervised(server: ScriptedServer, accepted?: ServerListing) {
  const timer = manualTimer();
  const clock = { ms: 0 };
  const lines: string[] = [];
  const listings: ServerListing[] = [];
  const log = createLog({ level: 'info', write: (line) => lines.push(line) });
  const updated: string[] = [];
  const supervisor = new Supervisor({
    id: 'x',
    title: 'scripted',
    redact: (text) => text,
    server: async () => ({ command: 'scripted' }),
    limits: DEFAULT_LIMITS,
    openTransport: server.openTransport,
    log,
    source: trustingSource(accepted),
    capabilities: {},
    startTimer: timer.startTimer,
    elapsedMs: () => clock.ms,
    triesAlone: true,
    events: {
      onUpdated: (uri) => updated.push(uri),
      onMessage: () => undefined,
      onQuestion: async () => ({}),
    },
    onListing: (listing) => listings.push(listing),
  });
  onTestFinished(() => supervisor.close());
  const call = (name = 'echo', signal = never) =>
    supervisor.use(signal, (connection) =>
      connection.forward('tools/call', { name, arguments: {} }, { signal }),
    );
  const logged = (text: string) => lines.filter((line) => line.includes(text));
  return { supervisor, timer, clock, listings, updated, call, logged };
}

test('a resource that a legacy server refuses ends no other subscription, is logged once, and is tried again', async () => {
  const gone = refuse(-32_002);
  const server = new ScriptedServer('legacy');
  server.plays = {
    'resources/subscribe': (request, start) =>
      (request.params?.['uri'] === 'a://gone' ? gone : server.answer.bind(server))(request, start),
  };
  const { supervisor, logged } = supervised(server);
  const asked = () => server.asked('resources/subscribe').map(({ uri }) => uri);
  supervisor.watch(new Set(['a://gone', 'a://one', 'a://two']));
  await expect.poll(asked).toStrictEqual(['a://gone', 'a://one', 'a://two']);
  await expect.poll(() => logged('does not report changes')).toHaveLength(1);
  supervisor.watch(new Set(['a://gone', 'a://one', 'a://two', 'a://three']));
  await expect.poll(asked).toStrictEqual(['a://gone', 'a://one', 'a://two', 'a://gone', 'a://three']);
  server.plays = {};
  supervisor.watch(new Set(['a://gone', 'a://one']));
  await expect.poll(() => asked().slice(5)).toStrictEqual(['a://gone']);
  expect(server.asked('resources/unsubscribe').map(({ uri }) => uri)).toStrictEqual(['a://two', 'a://three']);
  expect(logged('does not report changes')).toHaveLength(1);
});

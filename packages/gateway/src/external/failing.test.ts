import { expect, test } from 'vitest';
import { running, trustingSource } from '../testing/external.ts';
import { callOf, fakeServer, fakeTransports, jsonOf, listingOf, manualTimer } from '../testing/fake.ts';
import { fakeDesk, openDesk, stateOf } from '../testing/open-desk.ts';
import type { ServerListing } from './listing.ts';
import { LoginNeeded } from './problems.ts';
import type { ExternalSpec } from './spec.ts';
import { type OpenTransport, systemTransports } from './transport.ts';

const LISTED = ['echo', 'pid', 'seen', 'crash', 'never'];

/** A desk whose servers were accepted earlier, so nothing is started for it. */
async function acceptedDesk(
  specs: Readonly<Record<string, ExternalSpec>>,
  openTransport: OpenTransport = fakeTransports().openTransport,
) {
  const { startTimer, ...timer } = manualTimer();
  const ids = Object.keys(specs);
  const sources = Object.fromEntries(ids.map((id) => [id, trustingSource(listingOf(...LISTED))]));
  return { timer, ...(await openDesk(specs, { openTransport, startTimer, sources })) };
}

test('among a dead, a slow and a crashing server the good one answers, and the status says why', async () => {
  let deadMode = 'dead';
  const { desk, peer, timer } = await acceptedDesk({
    dead: running(fakeServer(), { server: async () => fakeServer(deadMode) }),
    slow: running(fakeServer('slow')),
    crashing: running(fakeServer()),
    good: running(fakeServer()),
  });
  const { tools } = (await peer.request('tools/list')) as { tools: readonly unknown[] };
  expect(tools).toHaveLength(4 * LISTED.length);
  const slow = callOf(peer, 'slow_echo');
  const [dead, crashing, good] = await Promise.all(
    ['dead_echo', 'crashing_crash', 'good_echo'].map((name) => callOf(peer, name)),
  );
  expect(good).toHaveProperty('zeta', 1);
  expect(jsonOf(dead ?? {})).toStrictEqual({
    error: 'dead is not available. It ended (exit code 1).',
    code: 'UNAVAILABLE',
    hint: 'Continue without it, or try again later.',
  });
  expect(jsonOf(crashing ?? {})).toMatchObject({
    error: 'crashing ended during the call (exit code 3).',
    hint: 'The call may have had an effect. Check before you repeat it.',
  });
  expect(await stateOf(desk, 'dead')).toMatchObject({ state: 'degraded', reason: 'It ended (exit code 1).' });
  expect(await stateOf(desk, 'crashing')).toMatchObject({ reason: 'It ended (exit code 3).' });
  expect(await stateOf(desk, 'good')).toMatchObject({ state: 'ready' });

  // They come back without a call.
  deadMode = 'good';
  timer.ring(1000);
  for (const id of ['dead', 'crashing'])
    await expect.poll(() => stateOf(desk, id)).toMatchObject({ state: 'ready' });
  expect(await callOf(peer, 'dead_echo')).toHaveProperty('zeta', 1);
  timer.ring(60_000);
  expect(jsonOf(await slow)).toMatchObject({
    error:
      'slow is not available. It did not start within 60 s. If it needs more, raise its start_seconds in deskside.toml, or add it with --start-seconds.',
  });
});

test('a login that is not renewed in time is the reason, not the server', async () => {
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  const login = {
    token: () => (isAsked(), new Promise<string>(() => undefined)),
    renewed: () => Promise.reject(new LoginNeeded()),
    isRenewing: true,
    lacks: async () => undefined,
  };
  const server = async () => ({ url: 'http://127.0.0.1:1/mcp', login });
  const { peer, timer } = await acceptedDesk({ x: running(fakeServer(), { server }) }, systemTransports({}));
  const call = callOf(peer, 'x_echo');
  await asked;
  timer.ring(60_000);
  expect(jsonOf(await call)).toMatchObject({
    error: 'x is not available. Its login was not renewed within 60 s.',
  });
});

test('a call goes on while its tool is taken from the list, and no further call of it is sent', async () => {
  const source = trustingSource(listingOf('pid', 'never', 'seen'));
  const { promise: accepting, resolve } = Promise.withResolvers<(usable: ServerListing) => void>();
  const sources = {
    x: { ...source, observed: async () => listingOf('pid', 'never', 'seen'), onAccepted: resolve },
  };
  const { peer } = await fakeDesk({}, { sources });
  const call = peer.start('tools/call', { name: 'x_never', arguments: {} });
  let asked = 0;
  const seen = async () => {
    asked += 1;
    return jsonOf(await callOf(peer, 'x_seen')) as readonly string[];
  };
  // Each question is a call, too.
  const others = async () => (await seen()).filter((method) => method === 'tools/call').length - asked;
  await expect.poll(others).toBe(1);
  (await accepting)(listingOf('pid', 'seen'));
  expect(await callOf(peer, 'x_never')).toHaveProperty('error');
  expect(await others()).toBe(1);
  peer.notify('notifications/cancelled', { requestId: call.id, reason: 'Esc' });
  await expect.poll(seen).toContain('notifications/cancelled of never: Esc');
});

test('a call without an answer ends at its time limit and is cancelled at the server', async () => {
  const { peer, timer } = await acceptedDesk({ x: running(fakeServer(), { limits: { callMs: 5000 } }) });
  await callOf(peer, 'x_pid');
  const call = callOf(peer, 'x_never');
  await expect.poll(async () => jsonOf(await callOf(peer, 'x_seen'))).toContain('tools/call');
  await expect.poll(() => timer.running()).toContain(5000);
  timer.ring(5000);
  expect(jsonOf(await call)).toMatchObject({ error: 'x did not answer within 5 s.', code: 'UNAVAILABLE' });
  const cancelled = 'notifications/cancelled of never: Error: The time limit of the call.';
  expect(jsonOf(await callOf(peer, 'x_seen'))).toContain(cancelled);
});

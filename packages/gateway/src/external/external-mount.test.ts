import { expect, test } from 'vitest';
import { trustingSource } from '../testing/external.ts';
import { callOf, jsonOf, listingOf } from '../testing/fake.ts';
import { fakeDesk, scriptedDesk, stateOf } from '../testing/open-desk.ts';
import { scriptedPerson } from '../testing/scripted-person.ts';
import { ScriptedServer } from '../testing/scripted.ts';

test.each(['shared', 'per-client'] as const)(
  'a %s server that is removed while the person decides on a call does not start for it',
  async (isolation) => {
    const server = new ScriptedServer('legacy');
    const { approvals, open } = scriptedPerson();
    const sources = { x: trustingSource(listingOf('echo')) };
    const { desk, peer } = await scriptedDesk(server, { isolation }, { approvals, sources });
    const calling = callOf(peer, 'x_echo');
    await expect.poll(() => open.length).toBe(1);
    await desk.external['x']?.close();
    open[0]?.answer({ kind: 'allowed', scope: 'once' });
    expect(jsonOf(await calling)).toMatchObject({
      error: 'x was removed, or its settings have changed.',
      code: 'UNAVAILABLE',
    });
    expect(server.starts).toHaveLength(0);
  },
);

test('what an accepted tool claims, and the patterns of its server, decide on its calls', async () => {
  const { approvals, open } = scriptedPerson();
  const { peer } = await fakeDesk({ approvals: { ask: ['seen'] } }, { approvals });
  expect(jsonOf(await callOf(peer, 'x_pid'))).toBeTypeOf('number');
  const asking = callOf(peer, 'x_seen');
  await expect.poll(() => open.length).toBe(1);
  open[0]?.answer({ kind: 'denied', text: '' });
  expect(jsonOf(await asking)).toMatchObject({ code: 'DENIED' });
});

test('with per-client isolation the state is that of the server which was called last', async () => {
  const server = new ScriptedServer('legacy');
  const sources = { x: trustingSource(listingOf('echo')) };
  const { desk, peer, connect } = await scriptedDesk(server, { isolation: 'per-client' }, { sources });
  await callOf(peer, 'x_echo');
  server.running.end('SIGKILL');
  expect(await stateOf(desk, 'x')).toMatchObject({ state: 'degraded', reason: 'It ended (SIGKILL).' });
  await callOf(await connect(), 'x_echo');
  expect(await stateOf(desk, 'x')).toMatchObject({ state: 'ready' });
});

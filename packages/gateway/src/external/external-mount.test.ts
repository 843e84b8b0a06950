import { expect, onTestFinished, test } from 'vitest';
import { deskWith, running, trustingSource } from '../testing/external.ts';
import { stateOf } from '../testing/open-desk.ts';
import { callOf, jsonOf, listingOf } from '../testing/fake.ts';
import { rawDefinition } from '../testing/raw-peer.ts';
import { scriptedPerson } from '../testing/scripted-person.ts';
import { ScriptedServer } from '../testing/scripted.ts';

test.each(['shared', 'per-client'] as const)(
  'a %s server that is removed while the person decides on a call does not start for it',
  async (isolation) => {
    const { starts, openTransport } = new ScriptedServer('legacy');
    const { approvals, open } = scriptedPerson();
    const sources = { x: trustingSource(listingOf('echo')) };
    const specs = { x: running({ command: 'scripted' }, { isolation }) };
    const desk = await deskWith(specs, { openTransport, approvals, sources });
    onTestFinished(() => desk[Symbol.asyncDispose]());
    const peer = await rawDefinition(desk.aggregator.definition, { era: 'legacy' });
    onTestFinished(() => peer[Symbol.asyncDispose]());
    const calling = callOf(peer, 'x_echo');
    await expect.poll(() => open.length).toBe(1);
    await desk.external['x']?.close();
    open[0]?.answer({ kind: 'allowed', scope: 'once' });
    expect(jsonOf(await calling)).toMatchObject({
      error: 'x was removed, or its settings have changed.',
      code: 'UNAVAILABLE',
    });
    expect(starts).toHaveLength(0);
  },
);

test('with per-client isolation the state is that of the server which was called last', async () => {
  const server = new ScriptedServer('legacy');
  const { openTransport, starts } = server;
  const sources = { x: trustingSource(listingOf('echo')) };
  const specs = { x: running({ command: 'scripted' }, { isolation: 'per-client' }) };
  const desk = await deskWith(specs, { openTransport, sources });
  onTestFinished(() => desk[Symbol.asyncDispose]());
  const call = async () => {
    const peer = await rawDefinition(desk.aggregator.definition, { era: 'legacy' });
    onTestFinished(() => peer[Symbol.asyncDispose]());
    await callOf(peer, 'x_echo');
  };
  await call();
  starts[0]?.end('SIGKILL');
  expect(await stateOf(desk, 'x')).toMatchObject({ state: 'degraded', reason: 'It ended (SIGKILL).' });
  await call();
  expect(await stateOf(desk, 'x')).toMatchObject({ state: 'ready' });
});

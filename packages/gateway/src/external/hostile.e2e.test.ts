import { expect, test } from 'vitest';
import { running } from '../testing/external.ts';
import { callOf, fakeServer, hostileServer, jsonOf, manualTimer } from '../testing/fake.ts';
import { openDesk } from '../testing/open-desk.ts';
import { configured } from './configured.ts';

/** A desk with a hostile and a good server. */
async function deskBeside(mode: string) {
  const timer = manualTimer();
  const servers = { bad: running(hostileServer(mode)), good: running(fakeServer()) };
  return { ...(await openDesk(servers, { startTimer: timer.startTimer })), timer };
}

test('a tool whose name every JavaScript object has as a member is listed, also with renames', async () => {
  const spec = configured(
    { ...hostileServer('good'), rename: { call: 'renamed' } },
    { env: process.env, folder: '.' },
  );
  const { peer } = await openDesk({ bad: spec });
  const { tools } = (await peer.request('tools/list')) as { tools: readonly { name: string }[] };
  expect(tools.map(({ name }) => name)).toStrictEqual(['bad___proto__', 'bad_renamed', 'bad_toString']);
  expect(await callOf(peer, 'bad_toString')).toHaveProperty('content.0.text', 'hi');
});

test('an answer that is nested too deeply to be sent on is an error of that call only', async () => {
  const { peer } = await deskBeside('deep');
  expect(jsonOf(await callOf(peer, 'bad_call'))).toMatchObject({
    error: 'bad: The answer has more than 1000 levels.',
    code: 'RESULT_TOO_LARGE',
  });
  expect(jsonOf(await callOf(peer, 'good_pid'))).toBeTypeOf('number');
});

test('a server that asks without reading the answers is ended', async () => {
  const { peer, desk } = await deskBeside('deaf');
  expect(jsonOf(await callOf(peer, 'bad_call'))).toMatchObject({
    error: 'bad ended during the call (it did not read its input).',
  });
  expect(jsonOf(await callOf(peer, 'good_pid'))).toBeTypeOf('number');
  expect(await desk.aggregator.mountStates()).toMatchObject([
    { id: 'bad', state: 'degraded', reason: 'It ended (it did not read its input).' },
    { id: 'good', state: 'ready' },
  ]);
});

test('beside a server that logs without end another one answers, and the call can be cancelled', async () => {
  const { peer } = await deskBeside('flood');
  const call = peer.start('tools/call', { name: 'bad_call', arguments: {} });
  await peer.notified(({ method }) => method === 'notifications/message');
  for (let count = 0; count < 20; count += 1) {
    expect(jsonOf(await callOf(peer, 'good_pid'))).toBeTypeOf('number');
  }
  peer.notify('notifications/cancelled', { requestId: call.id });
  expect(jsonOf(await callOf(peer, 'good_pid'))).toBeTypeOf('number');
});

test('a second answer, an answer to another call, and 2,000 lines on stderr change nothing', async () => {
  const twice = await deskBeside('twice');
  for (let count = 0; count < 3; count += 1) {
    expect(await callOf(twice.peer, 'bad_call')).toStrictEqual({
      content: [{ type: 'text', text: 'first' }],
    });
  }
  const chatty = await deskBeside('chatty');
  expect(await callOf(chatty.peer, 'bad_call')).toHaveProperty('content.0.text', 'after stderr');
});

test('a server that announces a change with each list is read again only after a pause', async () => {
  const { peer, timer } = await deskBeside('renaming');
  await callOf(peer, 'bad_call');
  const names = async () => {
    const { tools } = (await peer.request('tools/list')) as { tools: readonly { name: string }[] };
    return tools.map(({ name }) => name).filter((name) => name.startsWith('bad_call_'));
  };
  await expect.poll(timer.running).toContain(1000);
  const [first = ''] = await names();
  await callOf(peer, 'good_pid');
  expect(await names()).toStrictEqual([first]);
  timer.ring(1000);
  await expect.poll(names).not.toStrictEqual([first]);
  expect(await callOf(peer, first)).toHaveProperty('error');
});

test('the name of a server is escaped where it is served alone', async () => {
  const { desk } = await deskBeside('good');
  const { definition } = desk.external['bad']?.mount ?? {};
  expect(definition?.identity).toMatchObject({ name: 'hostile', title: 'Host\\u{202e}ile' });
});

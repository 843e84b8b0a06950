import { expect, test } from 'vitest';
import { callOf, jsonOf, manualTimer } from '../testing/fake.ts';
import { scriptedDesk } from '../testing/open-desk.ts';
import type { RawOptions, RawPeer } from '../testing/raw-peer.ts';
import { type Incoming, type Play, ScriptedServer } from '../testing/scripted.ts';

const QUESTION = {
  id: 'question',
  method: 'elicitation/create',
  params: { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
};
const sayOnCall =
  (...messages: readonly Readonly<Record<string, unknown>>[]): Play =>
  (_, start) => {
    for (const message of messages) start.say(message);
    return undefined;
  };
const asking = sayOnCall(QUESTION);

/** A server of the legacy era for one client. */
async function connected(play: Play, client: RawOptions) {
  const server = new ScriptedServer('legacy', { 'tools/call': play });
  const { startTimer, ...timer } = manualTimer();
  const spec = { isolation: 'per-client', limits: { callMs: 1, idleMs: 2 } } as const;
  const { peer } = await scriptedDesk(server, spec, { startTimer, client });
  /** What the server gets as the answer to its question. */
  const answer = () => server.running.received.find(({ id, method }) => id === QUESTION.id && !method);
  /** The server answers its call. */
  const end = (text: string) => {
    const { id } = server.running.received.findLast(({ method }) => method === 'tools/call') ?? {};
    server.running.say({ id, result: { content: [{ type: 'text', text: JSON.stringify(text) }] } });
  };
  return { server, peer, answer, end, timer: { ...timer, startTimer } };
}

const QUESTION_LIMIT_MS = 600_000;
const LEGACY = { era: 'legacy', capabilities: { elicitation: {} } } as const;

/** Resolves with the id of the question, which the client never answers. */
function questionTo(peer: RawPeer): Promise<Incoming['id']> {
  const { promise, resolve } = Promise.withResolvers<Incoming['id']>();
  peer.answers = ({ id }) => {
    resolve(id);
    return new Promise(() => undefined);
  };
  return promise;
}

const cancellationAt = (peer: RawPeer) => () =>
  peer.notifications.find(({ method }) => method === 'notifications/cancelled')?.params;

test('a legacy client that cancels a call while it is asked cancels it at the server', async () => {
  const { server, peer } = await connected(asking, LEGACY);
  const asked = questionTo(peer);
  const { id } = peer.start('tools/call', { name: 'x_echo', arguments: {} });
  await asked;
  peer.notify('notifications/cancelled', { requestId: id, reason: 'Esc' });
  await expect.poll(() => server.asked('notifications/cancelled')).toHaveLength(1);
});

test('a question that a legacy client answers with an error is an error to the server, and its call goes on', async () => {
  const { peer, answer, end, timer } = await connected(asking, LEGACY);
  peer.answers = () => Promise.reject(new Error('User rejected'));
  const call = peer.start('tools/call', { name: 'x_echo', arguments: {} });
  await expect.poll(answer).toMatchObject({ error: { code: -1, message: 'User rejected' } });
  expect(timer.running()).not.toContain(QUESTION_LIMIT_MS);
  end('without it');
  expect(jsonOf(await call.answer)).toBe('without it');
});

test('a question that the server withdraws is withdrawn at a legacy client', async () => {
  const { server, peer } = await connected(asking, LEGACY);
  const asked = questionTo(peer);
  peer.start('tools/call', { name: 'x_echo', arguments: {} });
  const requestId = await asked;
  server.running.say({ method: 'notifications/cancelled', params: { requestId: QUESTION.id } });
  await expect.poll(cancellationAt(peer)).toMatchObject({ requestId });
});

test('a server that answers a call withdraws its question at a legacy client, and one that waited for it is not asked', async () => {
  const { end, peer } = await connected(sayOnCall({ ...QUESTION, id: 'second' }, QUESTION), LEGACY);
  const asked: Incoming['id'][] = [];
  peer.answers = ({ id }) => {
    asked.push(id);
    return new Promise(() => undefined);
  };
  const call = peer.start('tools/call', { name: 'x_echo', arguments: {} });
  await expect.poll(() => asked).toHaveLength(1);
  end('too late');
  expect(jsonOf(await call.answer)).toBe('too late');
  await expect.poll(cancellationAt(peer)).toMatchObject({ requestId: asked[0] });
  expect(asked).toHaveLength(1);
});

test('a question goes to another call of the client if the one that it went to ends first', async () => {
  const { server, peer, answer, end } = await connected(() => undefined, LEGACY);
  const call = () => peer.start('tools/call', { name: 'x_echo', arguments: {} });
  call();
  await expect.poll(() => server.asked('tools/call')).toHaveLength(1);
  const short = call();
  await expect.poll(() => server.asked('tools/call')).toHaveLength(2);
  const asked = questionTo(peer);
  server.running.say(QUESTION);
  await asked;
  peer.answers = () => ({ action: 'accept', content: { name: 'Ada' } });
  end('short');
  expect(jsonOf(await short.answer)).toBe('short');
  await expect.poll(answer).toMatchObject({ result: { action: 'accept' } });
});

test('progress begins the time limit of a call anew, but not while a person is asked', async () => {
  const { server, peer, timer, end } = await connected(() => undefined, LEGACY);
  const call = peer.start('tools/call', { name: 'x_echo', arguments: {}, _meta: { progressToken: 'p' } });
  await expect.poll(() => server.asked('tools/call')).toHaveLength(1);
  const { progressToken } = Object(server.asked('tools/call')[0]?.['_meta']);
  const progress = () =>
    server.running.say({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
  timer.startTimer(777, () => undefined);
  expect(timer.running()).toStrictEqual([1, 777]);
  progress();
  await expect.poll(timer.running).toStrictEqual([777, 1]);
  const asked = questionTo(peer);
  server.running.say(QUESTION);
  await asked;
  progress();
  expect(timer.running()).not.toContain(1);
  end('done');
  expect(jsonOf(await call.answer)).toBe('done');
});

test('a question that a legacy client does not answer in ten minutes is an error to the server, and its call goes on', async () => {
  const { peer, answer, end, timer } = await connected(asking, LEGACY);
  const asked = questionTo(peer);
  const call = peer.start('tools/call', { name: 'x_echo', arguments: {} });
  const requestId = await asked;
  timer.ring(QUESTION_LIMIT_MS);
  await expect.poll(answer).toMatchObject({ error: { message: expect.stringContaining('No answer came.') } });
  await expect.poll(cancellationAt(peer)).toMatchObject({ requestId });
  end('without it');
  expect(jsonOf(await call.answer)).toBe('without it');
});

test.each([
  ['a form', {}, {}, QUESTION],
  [
    'an address',
    { elicitation: {} },
    { elicitation: { form: {} } },
    { ...QUESTION, params: { mode: 'url' } },
  ],
  ['text of the model', {}, {}, { ...QUESTION, method: 'sampling/createMessage' }],
])('a server that asks a legacy client for %s, which it cannot give, gets an error', async (...row) => {
  const [, capabilities, shown, question] = row;
  const client = { era: 'legacy', capabilities } as const;
  const { server, peer, answer, end } = await connected(sayOnCall(question), client);
  const call = peer.start('tools/call', { name: 'x_echo', arguments: {} });
  await expect.poll(answer).toMatchObject({ error: { code: expect.any(Number) } });
  expect(server.asked('initialize').at(-1)?.['capabilities']).toStrictEqual(shown);
  end('without it');
  expect(jsonOf(await call.answer)).toBe('without it');
});

const VISIT = { mode: 'url', message: 'Log in', url: 'https://login.example/?id=1', elicitationId: '1' };
const VISITING = { era: 'modern', capabilities: { elicitation: { url: {} } } } as const;

const demanding: Play = ({ id }, start) => {
  start.say({ id, error: { code: -32_042, message: 'Log in first', data: { elicitations: [VISIT] } } });
  return undefined;
};

test('an error that demands a visit names the address to a modern client, which has no such error', async () => {
  const { peer } = await connected(demanding, VISITING);
  const { isError, content } = await callOf(peer, 'x_echo');
  expect(isError).toBe(true);
  expect(JSON.stringify(content)).toContain(
    `[x] Log in first [x] Log in (opens login.example): ${VISIT.url}`,
  );
  expect(JSON.stringify(content)).toContain('VISIT_NEEDED');
});

test('a question of a legacy server to open an address has no id for a modern client', async () => {
  const { peer } = await connected(sayOnCall({ ...QUESTION, params: VISIT }), VISITING);
  const { inputRequests } = await callOf(peer, 'x_echo');
  const { elicitationId: _, ...params } = { ...VISIT, message: '[x] Log in (opens login.example)' };
  expect(inputRequests).toStrictEqual({ question: { method: 'elicitation/create', params } });
});

import { expect, test } from 'vitest';
import { z } from 'zod';
import { acceptedContent, inputRequired } from '../definition/context.ts';
import { defineServer } from '../definition/server.ts';
import { toolDefiner } from '../definition/tool.ts';
import { connect, firstText, fixedClock, serveInProcess, testContext } from './index.ts';
import { described } from '../testing/described.ts';
import { WIRE_LEGS } from '../testing/wire.ts';

const answer = z.object({ name: z.string() });

const greet = toolDefiner<{ readonly greeting: string }>()({
  ...described('greet'),
  async run(_, { greeting }, { era, transport, principal, input, progress, message }) {
    await progress(1, 2, 'asking');
    await message('info', 'asking');
    const given = acceptedContent(input.responses, 'name', answer);
    if (given !== undefined)
      return `${greeting} ${given.name}: ${principal.user}, ${era}, ${transport}, ${JSON.stringify(input.state())}`;
    return inputRequired({
      inputRequests: {
        name: inputRequired.elicit({ message: 'Who are you?', requestedSchema: answer }),
      },
      requestState: await input.seal({ asked: 1 }),
    });
  },
});

const server = defineServer({
  name: 'greeter',
  version: '1.0.0',
  instructions: 'Greets people.',
  deps: { greeting: 'Hello' },
  tools: [greet],
  resources: [{ uri: 'greet://one', name: 'one', read: () => 'content' }],
});

test.each(WIRE_LEGS.filter(({ stateless }) => !stateless))(
  'connect serves a definition with questions to the client, $leg',
  async ({ era, over }) => {
    await using peer = await connect(server, {
      era,
      over,
      user: 'ada',
      capabilities: { elicitation: { form: {} } },
    });
    peer.client.setRequestHandler('elicitation/create', () => ({
      action: 'accept',
      content: { name: 'Grace' },
    }));
    expect(peer).toMatchObject({ era, instructions: 'Greets people.' });
    expect(peer.client.getNegotiatedProtocolVersion()).toBe(era === 'modern' ? '2026-07-28' : '2025-11-25');
    expect((await peer.listTools()).map(({ name }) => name)).toStrictEqual(['greet']);
    expect(firstText(await peer.callTool('greet'))).toBe(`Hello Grace: ada, ${era}, ${over}, {"asked":1}`);
    expect((await peer.readResource('greet://one')).contents).toMatchObject([{ text: 'content' }]);
  },
);

test('disposing of a peer waits for the calls that run, and their long answers arrive', async () => {
  const started = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<string>();
  const read = () => {
    started.resolve();
    return finished.promise;
  };
  const peer = await connect(
    defineServer({
      name: 'slow',
      version: '1.0.0',
      deps: null,
      resources: [{ uri: 'slow://long', name: 'long', read }],
    }),
  );
  expect(peer.era).toBe('modern');
  const reading = peer.readResource('slow://long');
  await started.promise;
  const closing = peer[Symbol.asyncDispose]();
  const text = 'x'.repeat(1_000_000);
  finished.resolve(text);
  await closing;
  expect((await reading).contents).toMatchObject([{ text }]);
});

test('disposing of a server in process closes its port', async () => {
  const open = await serveInProcess(server, { over: 'http' });
  const health = new URL('/healthz', open.url);
  expect((await fetch(health)).status).toBe(200);
  await open[Symbol.asyncDispose]();
  await expect(fetch(health)).rejects.toThrow('fetch failed');
});

test('testContext runs a tool without a server and records what it sends', async () => {
  const first = testContext({ principal: { user: 'ada' } });
  const question = await greet.call({}, { greeting: 'Hi' }, first);
  expect(question).toMatchObject({ inputRequests: { name: { method: 'elicitation/create' } } });
  expect(first.sent).toStrictEqual({
    progress: [[1, 2, 'asking']],
    messages: [['info', 'asking']],
    sealed: [{ asked: 1 }],
  });
  const second = testContext({
    input: { responses: { name: { action: 'accept', content: { name: 'Grace' } } }, state: { asked: 1 } },
  });
  expect(await greet.call({}, { greeting: 'Hi' }, second)).toStrictEqual({
    content: [{ type: 'text', text: 'Hi Grace: owner, modern, stdio, {"asked":1}' }],
  });
});

test('a fixed clock runs each timer at its time, also a timer that another one starts', () => {
  expect(() => fixedClock('yesterday')).toThrow('"yesterday" is not a date-time.');
  const clock = fixedClock('2026-11-21T09:30:00Z');
  const ran: string[] = [];
  const note = (name: string) => () => void ran.push(`${name} ${clock.elapsedMs()}`);
  clock.after(20, note('second'));
  clock.after(10, () => {
    note('first')();
    clock.after(5, note('inner'));
  });
  clock.after(15, note('cancelled'))();
  clock.advance(20);
  expect(ran).toStrictEqual(['first 10', 'inner 15', 'second 20']);
});

import { ProtocolError } from '@modelcontextprotocol/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { inputRequired } from '../definition/context.ts';
import { promptDefiner } from '../definition/prompt.ts';
import { defineServer } from '../definition/server.ts';
import { UserError } from '../errors/index.ts';
import { echoServer } from '../testing/echo-server.ts';
import { connectWire, WIRE_LEGS, type WireClient, type WireLeg } from '../testing/wire.ts';

async function connect(definition: Parameters<typeof connectWire>[0], leg: WireLeg): Promise<WireClient> {
  const client = await connectWire(definition, leg);
  onTestFinished(() => client[Symbol.asyncDispose]());
  return client;
}

const noNote = new UserError({ error: 'No such note.', code: 'NOT_FOUND', hint: 'List the notes.' });
const locked = new UserError({ error: 'The notes are locked.', code: 'UNAVAILABLE', hint: 'Try again.' });
const fixed = new UserError({ exactly: { error: 'Note not found', id: 3 }, next: 'List them.' });

function throwing(error: unknown) {
  return () => {
    throw error;
  };
}

const definePrompt = promptDefiner<undefined>();
const prompt = (name: string, error: unknown) =>
  definePrompt({
    name,
    title: 'Prompt',
    description: 'Fails',
    arguments: z.object({ count: z.enum(['one', 'two']).optional() }),
    run: throwing(error),
  });

const failingServer = () =>
  defineServer({
    name: 'failing',
    version: '1',
    deps: undefined,
    prompts: [prompt('none', noNote), prompt('locked', locked), prompt('broken', new Error('secret'))],
    resources: [
      { uri: 'note://none', name: 'none', read: throwing(noNote) },
      { uri: 'note://locked', name: 'locked', read: throwing(locked) },
      { uri: 'note://fixed', name: 'fixed', read: throwing(fixed) },
      { uri: 'note://text', name: 'text', read: throwing(new UserError({ exactly: 'Cannot read' })) },
    ],
  });

/** A prompt that asks a legacy client, and a client that has got its first question. */
async function asking(run: (round: number) => string | undefined) {
  const ask = definePrompt({
    name: 'ask',
    title: 'Ask',
    description: 'Asks',
    arguments: z.object({}),
    async run(_, __, { input }) {
      const round = Number(input.state() ?? 0);
      const end = run(round);
      if (end !== undefined) return end;
      const form = { message: '?', requestedSchema: { type: 'object' as const, properties: {} } };
      const inputRequests = { q: inputRequired.elicit(form) };
      return inputRequired({ inputRequests, requestState: await input.seal(round + 1) });
    },
  });
  const definition = defineServer({ name: 'x', version: '1', deps: undefined, prompts: [ask] });
  const client = await connect(definition, { era: 'legacy', over: 'stdio', stateless: false });
  return { client, first: await client.ask('prompts/get', { name: 'ask' }) };
}

const ACCEPT = { action: 'accept', content: {} };

test("a prompt's own protocol error in the second round of a legacy elicitation is sent unchanged", async () => {
  const { client, first } = await asking((round) => {
    if (round === 1) throw new ProtocolError(-32_602, 'Not like that');
    return undefined;
  });
  expect(first).toMatchObject({ method: 'elicitation/create' });
  const { error } = await client.respond(first.id, ACCEPT);
  expect(error).toStrictEqual({ code: -32_602, message: 'Not like that' });
});

test('a prompt may ask a legacy client more than eight times', async () => {
  const { client, first } = await asking((round) => (round === 10 ? 'asked ten times' : undefined));
  let answer = first;
  for (let round = 0; round < 10; round += 1) {
    expect(answer).toMatchObject({ method: 'elicitation/create' });
    answer = await client.respond(answer.id, ACCEPT);
  }
  expect(JSON.stringify(answer.result)).toContain('asked ten times');
});

describe.each(WIRE_LEGS)('errors of the protocol, $leg', ({ leg, ...where }) => {
  const notFound = where.era === 'legacy' ? -32_002 : -32_602;

  test.each([null, [], 'x', 7])(
    `${leg}: tools/call rejects the arguments %j with one sentence`,
    async (args) => {
      const { ask } = await connect(echoServer(), where);
      expect(await ask('tools/call', { name: 'echo', arguments: args })).toMatchObject({
        error: { code: -32_602, message: 'Invalid params: "arguments" must be an object.' },
      });
    },
  );

  // Over modern HTTP the SDK compares body and header first.
  test.each(where.era === 'modern' && where.over === 'http' ? [] : [leg])(
    '%s: tools/call without a name is an invalid params error',
    async () => {
      const { ask } = await connect(echoServer(), where);
      expect(await ask('tools/call', {})).toMatchObject({
        error: { code: -32_602, message: 'Invalid params: "name" must be a string.' },
      });
    },
  );

  test.each(where.era === 'modern' ? [leg] : [])(
    '%s: a state that this server has not sealed is refused',
    async () => {
      const { ask } = await connect(echoServer(), where);
      const params = { name: 'echo', arguments: { text: 'hi' }, requestState: 'x' };
      expect((await ask('tools/call', params)).error).toMatchObject({
        code: -32_602,
        message: 'Invalid or expired requestState',
      });
    },
  );

  test(`${leg}: a cursor that is not a string is an invalid params error`, async () => {
    const { ask } = await connect(echoServer(), where);
    expect(await ask('tools/list', { cursor: 7 })).toMatchObject({
      error: { code: -32_602, message: 'Invalid params: "cursor" must be a string.' },
    });
  });

  test(`${leg}: an unknown resource has the error code of the era, and an unknown tool -32602`, async () => {
    const { ask } = await connect(echoServer(), where);
    expect(await ask('resources/read', { uri: 'echo://none' })).toMatchObject({
      error: { code: notFound, message: 'Resource not found: echo://none', data: { uri: 'echo://none' } },
    });
    expect(await ask('tools/call', { name: 'none' })).toMatchObject({
      error: { code: -32_602, message: 'Unknown tool: none' },
    });
  });

  test(`${leg}: a UserError of a resource or prompt is a sentence with code and hint as data`, async () => {
    const { ask } = await connect(failingServer(), where);
    const data = { code: 'NOT_FOUND', hint: 'List the notes.' };
    expect((await ask('resources/read', { uri: 'note://none' })).error).toStrictEqual({
      code: notFound,
      message: 'No such note.',
      data: { ...data, uri: 'note://none' },
    });
    expect((await ask('prompts/get', { name: 'none' })).error).toStrictEqual({
      code: -32_602,
      message: 'No such note.',
      data,
    });
    const unavailable = {
      code: -32_603,
      message: 'The notes are locked.',
      data: { code: 'UNAVAILABLE', hint: 'Try again.' },
    };
    expect((await ask('resources/read', { uri: 'note://locked' })).error).toStrictEqual(unavailable);
    expect((await ask('prompts/get', { name: 'locked' })).error).toStrictEqual(unavailable);
  });

  test(`${leg}: a UserError with a fixed text is a sentence with the other fields as data`, async () => {
    const { ask } = await connect(failingServer(), where);
    expect((await ask('resources/read', { uri: 'note://fixed' })).error).toStrictEqual({
      code: -32_602,
      message: 'Note not found',
      data: { id: 3, hint: 'List them.' },
    });
    expect((await ask('resources/read', { uri: 'note://text' })).error).toMatchObject({
      message: 'Cannot read',
    });
  });

  test(`${leg}: an invalid prompt argument is named, and an unexpected error is hidden`, async () => {
    const { ask } = await connect(failingServer(), where);
    const params = { name: 'none', arguments: { count: 'three' } };
    expect(await ask('prompts/get', params)).toMatchObject({
      error: {
        code: -32_602,
        message: expect.stringContaining('Invalid prompt argument "count": '),
        data: { code: 'INVALID_ARGUMENT', hint: "The prompt's arguments are: count." },
      },
    });
    const { error } = await ask('prompts/get', { name: 'broken' });
    expect(error).toMatchObject({ code: -32_603, message: 'Internal error' });
    expect(JSON.stringify(error)).not.toContain('secret');
  });
});

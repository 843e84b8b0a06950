import { describe, expect, onTestFinished, test } from 'vitest';
import type { RequestContext } from '../definition/context.ts';
import { reply } from '../definition/results.ts';
import { defineServer } from '../definition/server.ts';
import { createLog } from '../log.ts';
import { defineTool } from '../testing/surface.ts';
import { connectWire, WIRE_LEGS, type WireLeg } from '../testing/wire.ts';
import { described } from '../testing/described.ts';

const circular: Record<string, unknown> = {};
circular['self'] = circular;

const tool = (name: string, run: (ctx: RequestContext) => unknown) =>
  defineTool({
    ...described(name),
    // What a program without types can return.
    run: (_, __, ctx) => run(ctx) as string,
  });

const resource = (uri: string, meta: Record<string, unknown>) => ({
  uri,
  name: uri,
  read: () => [{ uri, body: 'text', meta }],
});

function throws(error: unknown) {
  return () => {
    throw error;
  };
}

/** Serves tools and resources with defects. */
async function connect(leg: WireLeg) {
  const lines: string[] = [];
  const [answered, stray] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()];
  const afterAnswer = (send: () => Promise<void>) => {
    void answered.promise.then(send).then(stray.resolve, stray.resolve);
    return 'done';
  };
  const definition = defineServer({
    name: 'defects',
    version: '1',
    deps: undefined,
    logging: true,
    tools: [
      tool('fine', () => 'fine'),
      tool('bigint_meta', () => reply('text', { meta: { 'x/n': 5n } })),
      tool('circular_block', () => [{ type: 'text', text: 'text', _meta: circular }]),
      tool('wrong_block', () => [{ type: 'image' }]),
      ...[undefined, null, 5, { text: 'text' }, new Map()].map((answer, index) =>
        tool(`not_text_${index}`, () => answer),
      ),
      tool('throws_bigint', throws(5n)),
      tool('throws_circular', throws(circular)),
      tool('late_progress', ({ progress }) => afterAnswer(() => progress(1))),
      tool('late_message', ({ message }) => afterAnswer(() => message('error', 'late'))),
    ],
    resources: [resource('x://bigint', { n: 5n }), resource('x://circular', circular)],
  });
  const log = createLog({ level: 'error', write: (line) => lines.push(line) });
  const client = await connectWire(definition, leg, log);
  onTestFinished(() => client[Symbol.asyncDispose]());
  const logged = () => lines.splice(0).map((line): unknown => JSON.parse(line));
  /** Lets a late tool send. @returns what it throws */
  const afterAnswered = () => {
    answered.resolve();
    return stray.promise;
  };
  return { ...client, logged, afterAnswered };
}

describe.each(WIRE_LEGS)('handlers with a defect, $leg', ({ leg, ...where }) => {
  test(`${leg}: a result that is not JSON is an internal error, and the log has the reason`, async () => {
    const { ask, logged } = await connect(where);
    for (const [method, params, reason] of [
      ['tools/call', { name: 'bigint_meta' }, 'BigInt'],
      ['tools/call', { name: 'circular_block' }, 'circular'],
      ['resources/read', { uri: 'x://bigint' }, 'BigInt'],
      ['resources/read', { uri: 'x://circular' }, 'circular'],
    ] as const) {
      expect(await ask(method, params)).toMatchObject({
        error: { code: -32_603, message: 'Internal error' },
      });
      expect(logged()).toMatchObject([{ level: 'error', method, error: expect.stringContaining(reason) }]);
    }
  });

  test(`${leg}: a result that the protocol does not allow is logged with the name of the tool`, async () => {
    const { ask, logged } = await connect(where);
    const { error } = await ask('tools/call', { name: 'wrong_block' });
    expect(error).toMatchObject({
      code: -32_603,
      message: 'Internal error',
      data: { correlationId: expect.any(String) },
    });
    const line = { level: 'error', message: 'invalid result', method: 'tools/call', subject: 'wrong_block' };
    expect(logged()).toMatchObject([Object.assign(line, error?.data)]);
  });

  test(`${leg}: an answer without output schema that is neither a text nor blocks is an internal error`, async () => {
    const { ask, logged } = await connect(where);
    for (const index of [0, 1, 2, 3, 4]) {
      const { result } = await ask('tools/call', { name: `not_text_${index}` });
      expect(result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('INTERNAL') }],
      });
      expect(logged()).toMatchObject([{ level: 'error', tool: `not_text_${index}` }]);
    }
  });

  test(`${leg}: a thrown value that is not JSON is an error of the tool and a line of the log`, async () => {
    const { ask, logged } = await connect(where);
    for (const name of ['throws_bigint', 'throws_circular']) {
      const { result } = await ask('tools/call', { name });
      expect(result, name).toMatchObject({ isError: true });
      expect(logged(), name).toMatchObject([{ level: 'error', message: 'tool failed', tool: name }]);
    }
  });
});

test.each(
  WIRE_LEGS.flatMap(({ leg, ...where }) => [
    { late: 'progress', leg, where, _meta: { progressToken: 1 } },
    { late: 'message', leg, where, _meta: { 'io.modelcontextprotocol/logLevel': 'debug' } },
  ]),
)('$late after the answer throws nothing and is not sent: $leg', async ({ late, where, _meta }) => {
  const { ask, afterAnswered } = await connect(where);
  const { result } = await ask('tools/call', { name: `late_${late}`, _meta });
  expect(result).toMatchObject({ content: [{ text: 'done' }] });
  expect(await afterAnswered()).toBeUndefined();
  if (late === 'message') return;
  expect((await ask('tools/call', { name: 'fine' })).result).toMatchObject({ content: [{ text: 'fine' }] });
});

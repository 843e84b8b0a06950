import { expect, test } from 'vitest';
import { running, trustingSource } from '../testing/external.ts';
import { callOf } from '../testing/fake.ts';
import { scriptedDesk } from '../testing/open-desk.ts';
import { end, hang, type Json, type Play, refuse, ScriptedServer } from '../testing/scripted.ts';
import type { ExternalSpec } from './spec.ts';
import { startOnTrial } from './trial.ts';

const ALL = { tools: {}, prompts: {}, resources: {} };
const inputSchema = { type: 'object' };
/** Its nulls are values. */
const ofNulls = {
  ...inputSchema,
  properties: { a: { anyOf: [{ type: 'null' }], default: null, enum: [null] } },
};

/** A server with these lists; one that is not named is refused as an unknown method. */
function listing(era: 'legacy' | 'modern', lists: Readonly<Record<string, Play>>): ScriptedServer {
  const unknown = refuse(-32_601);
  const server = new ScriptedServer(era, {
    'prompts/list': unknown,
    'resources/list': unknown,
    'resources/templates/list': unknown,
    ...lists,
  });
  server.capabilities = ALL;
  return server;
}

const onTrial = (server: ScriptedServer, spec: Partial<ExternalSpec> = {}) =>
  startOnTrial('x', running({ command: 'scripted' }, spec), server.openTransport);
const lists =
  (result: Json): Play =>
  () =>
    result;

test.each(['legacy', 'modern'] as const)(
  'a %s server without the lists that it names, or with null instead, has empty lists',
  async (era) => {
    const { listing: listed, problems } = await onTrial(
      listing(era, { 'resources/list': lists({ resources: null }) }),
    );
    expect(problems).toStrictEqual({ failed: [], sentences: [] });
    expect(listed).toMatchObject({
      tools: [{ name: 'echo' }],
      prompts: [],
      resources: [],
      resourceTemplates: [],
    });
  },
);

test.each(['legacy', 'modern'] as const)(
  'invalid items of a %s server are left out and named, and the others are used',
  async (era) => {
    const server = listing(era, {
      'tools/list': lists({
        tools: [
          { name: 'good', description: null, inputSchema: { ...ofNulls, required: null }, unknown: [1] },
          { name: 'draw', inputSchema, annotations: { readOnlyHint: 'yes' } },
          { name: 'x'.repeat(201), inputSchema },
          { name: 'line\nbreak', inputSchema },
          { name: 'schemaless' },
          'no tool',
        ],
      }),
      'prompts/list': lists({ prompts: [{ name: 'p' }, { name: 7 }] }),
      'resources/list': lists({
        resources: [
          { uri: 'a://a', name: 'a' },
          { uri: 'a://b', name: 'b', annotations: { lastModified: '2025-01-01' } },
        ],
      }),
    });
    const { listing: listed, problems } = await onTrial(server);
    expect(listed).toMatchObject({
      tools: [{ name: 'good', inputSchema: ofNulls, unknown: [1] }],
      prompts: [{ name: 'p' }],
      resources: [{ uri: 'a://a' }],
    });
    expect([listed.tools.length, listed.resources.length]).toStrictEqual([1, 1]);
    expect(problems).toStrictEqual({
      failed: [],
      sentences: [
        `Invalid, so left out: tool draw, tool ${'x'.repeat(79)}…, tool line\\u{a}break, tool schemaless, tool without a name and 2 more.`,
      ],
    });
  },
);

test.each<readonly [string, Play, string]>([
  ['is refused', refuse(-32_000), 'error -32000'],
  ['is malformed', lists({ prompts: 'many' }), 'an invalid or too long list'],
  [
    'does not end',
    ({ params }) => ({ prompts: [], nextCursor: `${Number(params?.['cursor'] ?? 0) + 1}` }),
    'an invalid or too long list',
  ],
  [
    'is too long',
    lists({ prompts: [{ name: 'p', description: 'x'.repeat(8_000_001) }] }),
    'an invalid or too long list',
  ],
])('while a list %s, the accepted one stays and calls go on', async (_, play, reason) => {
  const server = listing('legacy', { 'prompts/list': play });
  const accepted = (await onTrial(listing('legacy', { 'prompts/list': lists({ prompts: [{ name: 'p' }] }) })))
    .listing;
  const seen: unknown[] = [];
  const source = {
    ...trustingSource(accepted),
    observed: async (...observed: unknown[]) => {
      seen.push(observed[1]);
      return accepted;
    },
  };
  const { peer } = await scriptedDesk(server, {}, { sources: { x: source } });
  expect(await callOf(peer, 'x_echo')).toHaveProperty('content.0.text', '"echo"');
  expect(seen).toStrictEqual([{ failed: ['prompts'], sentences: [`prompts/list fails (${reason}).`] }]);
  expect(await peer.request('prompts/list')).toMatchObject({ prompts: [{ name: 'x_p' }] });
});

test('without its tools a server is of no use, and one that ends at a list has ended', async () => {
  await expect(onTrial(listing('legacy', { 'tools/list': refuse(-32_000) }))).rejects.toThrow(
    'It refuses to start (error -32000).',
  );
  await expect(onTrial(listing('legacy', { 'prompts/list': end('exit code 4') }))).rejects.toThrow(
    'It ended (exit code 4).',
  );
});

test('a changed list that fails in a running desk ends nothing', async () => {
  const server = listing('legacy', { 'prompts/list': lists({ prompts: [{ name: 'p' }] }) });
  server.capabilities = { ...ALL, prompts: { listChanged: true } };
  const { peer } = await scriptedDesk(server);
  await callOf(peer, 'x_echo');
  server.plays = { ...server.plays, 'prompts/list': refuse(-32_000), 'tools/call': hang };
  const read = () => server.asked('prompts/list').length;
  const before = read();
  server.running.say({ method: 'notifications/prompts/list_changed' });
  await expect.poll(read).toBe(before + 1);
  server.plays = {};
  expect(await callOf(peer, 'x_echo')).toHaveProperty('content.0.text', '"echo"');
  expect(server.running.isClosed).toBe(false);
});

/** A server that asks for roots before it lists its tools. */
function askingServer(): ScriptedServer {
  const server = new ScriptedServer('legacy');
  server.plays = {
    'tools/list': (request, start) => {
      start.say({ id: 'roots', method: 'roots/list' });
      return server.answer(request, start);
    },
  };
  return server;
}

test.each([
  ['per-client', ['roots/list'], { roots: {}, elicitation: { form: {} } }],
  ['shared', [], {}],
] as const)(
  'on trial a %s server can ask for: %j, and it is ended',
  async (isolation, expected, capabilities) => {
    const server = askingServer();
    const { asked } = await onTrial(server, { isolation });
    expect(asked).toStrictEqual(expected);
    expect(server.asked('initialize')).toMatchObject([{ capabilities }]);
    expect(server.running.isClosed).toBe(true);
  },
);

/** A trial of a program that prints these lines and ends. */
function failingTrial(lines: string) {
  const server = new ScriptedServer('legacy', {
    initialize: (_, start) => {
      start.print(lines);
      start.end('exit code 1');
      return undefined;
    },
  });
  return onTrial(server, { redact: (text) => text.replaceAll('geheim', '<hidden>') });
}

test('a trial that fails says what the program has printed: its first line about an error, without secrets', async () => {
  await expect(failingTrial('starting\n  Error: no key \u202e geheim\nNode.js v24')).rejects.toThrow(
    String.raw`It ended (exit code 1). It printed: Error: no key \u{202e} <hidden>`,
  );
  await expect(failingTrial('a\nb')).rejects.toThrow(/It printed: b$/);
  const split = JSON.stringify({ jsonrpc: '2.0', id: 0, error: {} }, null, 2);
  const why = 'It printed: "jsonrpc": "2.0", (error: a message must be one line)';
  await expect(failingTrial(split)).rejects.toThrow(why);
});

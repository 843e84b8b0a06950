import { connect } from '@deskside/core/testing';
import { firstText, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { createAggregator, type Profile, ranking } from '@deskside/gateway';
import { BUILT_IN_IDS, openBuiltIn } from '../mounts/built-in.ts';
import { deskWith, emptyListing, running, trustingSource } from '@deskside/gateway/testing/external';
import { fakeServer, fakeTransports, jsonOf } from '@deskside/gateway/testing/fake';
import { fixedTool, namedServer } from '@deskside/gateway/testing/servers';

const own = [{ id: 'todo', definition: namedServer('todo', [fixedTool('read', 'todo')]) }];
const echo = {
  name: 'echo',
  title: 'Repeat',
  description: 'Repeats what it is given.',
  annotations: { readOnlyHint: true },
  inputSchema: {
    type: 'object' as const,
    properties: { text: { type: 'string', pattern: '^(a+)+$' }, times: { type: 'integer' } },
    required: ['text'],
    additionalProperties: false,
  },
};

const numbered = (count: number, more = '') =>
  Array.from({ length: count }, (_, index) => ({
    name: `tool_${index}`,
    description: `Does thing number ${index} with a parcel, as the customer has ordered.${more}`,
    inputSchema: { type: 'object' as const, properties: { parcel: { type: 'string' } } },
  }));

/** A desk with an own mount and an external server with `echo` and so many, or these, more tools. */
async function deskOf(
  more: number | (typeof emptyListing)['tools'],
  profiles?: ReadonlyMap<string, Profile>,
) {
  const { openTransport, starts } = fakeTransports();
  const listing = { ...emptyListing, tools: [echo, ...(typeof more === 'number' ? numbered(more) : more)] };
  const sources = { post: trustingSource(listing), other: trustingSource(emptyListing) };
  const desk = await deskWith(
    { post: running(fakeServer()), other: running(fakeServer()) },
    { openTransport, own, sources, ...(profiles && { profiles }) },
  );
  onTestFinished(() => desk[Symbol.asyncDispose]());
  const peerOf = async (route = '/mcp', name = 'codex-mcp-client') => {
    const definition = desk.aggregator.routes.get(route);
    if (definition === undefined) throw new Error(`no route ${route}`);
    const peer = await connect(definition, { era: 'legacy', clientInfo: { name, version: '1' } });
    onTestFinished(() => peer[Symbol.asyncDispose]());
    const names = async () => (await peer.listTools()).map((tool) => tool.name);
    return { ...peer, names };
  };
  return { peerOf, starts };
}

const withoutToken = (answer: unknown) => JSON.stringify(answer).replace(/"progressToken":\d+/, '');

const SEARCHED = ['call_tool', 'find_tools', 'todo_read'];

test('a client with many foreign tools gets the search and the own mounts, one with a search of its own gets all', async () => {
  const { peerOf } = await deskOf(40);
  expect(await (await peerOf()).names()).toStrictEqual(SEARCHED);
  // It is as dangerous as the tools behind it.
  const { annotations } = (await (await peerOf()).listTools()).find(({ name }) => name === 'call_tool') ?? {};
  expect(annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true, openWorldHint: true });
  expect(await (await peerOf('/mcp', 'claude-code')).names()).toHaveLength(42);
  expect(await (await peerOf('/mcp/post')).names()).toHaveLength(41);
});

test('a client with few foreign tools gets all, unless their descriptions are long', async () => {
  expect(await (await (await deskOf(39)).peerOf()).names()).toHaveLength(41);
  const { peerOf } = await deskOf(numbered(10, 'x'.repeat(4000)));
  expect(await (await peerOf()).names()).toStrictEqual(SEARCHED);
});

test('a profile decides', async () => {
  const profiles = new Map<string, Profile>([
    ['all', { tools: 'all' }],
    ['search', { tools: 'search' }],
    ['narrow', { tools: 'search', exclude: ['post_tool_*'] }],
  ]);
  const { peerOf } = await deskOf(40, profiles);
  expect(await (await peerOf('/mcp/p/all')).names()).toHaveLength(42);
  expect(await (await peerOf('/mcp/p/search', 'claude-code')).names()).toStrictEqual(SEARCHED);
  const narrow = await peerOf('/mcp/p/narrow');
  const found = await narrow.callTool('find_tools', { query: 'tool_7 parcel' });
  expect(firstText(found)).toContain('No tool matches');
  const refused = await narrow.callTool('call_tool', { name: 'post_tool_7', arguments: {} });
  expect(jsonOf(refused)).toMatchObject({ code: 'NOT_FOUND' });
});

test('find_tools returns whole schemas, with the beginning of a word and a wrong letter', async () => {
  const { peerOf } = await deskOf(60);
  const peer = await peerOf();
  for (const query of ['repeat a text', 'repea', 'repeet', 'ECHO']) {
    const { structuredContent } = await peer.callTool('find_tools', { query });
    expect(structuredContent, query).toMatchObject({
      tools: expect.arrayContaining([{ ...echo, name: 'post_echo' }]),
    });
  }
  const { structuredContent } = await peer.callTool('find_tools', { query: 'parcel' });
  expect((structuredContent as { tools: readonly unknown[] }).tools).toHaveLength(5);
  const none = await peer.callTool('find_tools', { query: 'zzz' });
  expect(none.structuredContent).toStrictEqual({
    tools: [],
    hint: 'No tool matches. Use other words. Servers: post.',
  });
});

test('call_tool answers as the tool itself, also its errors', async () => {
  const { peerOf } = await deskOf(60);
  const peer = await peerOf();
  const args = { text: 'b', times: 2 };
  const direct = await peer.callTool('post_echo', args);
  expect(direct.structuredContent).toMatchObject({ params: { name: 'echo', arguments: args } });
  const found = await peer.callTool('call_tool', { name: 'post_echo', arguments: args });
  expect(withoutToken(found)).toBe(withoutToken(direct));
  // Some models send an object as JSON text.
  const text = await peer.callTool('call_tool', { name: 'post_echo', arguments: JSON.stringify(args) });
  expect(withoutToken(text)).toBe(withoutToken(direct));
  const failure = /not.*found/;
  await expect(peer.callTool('post_fail')).rejects.toThrow(failure);
  await expect(peer.callTool('call_tool', { name: 'post_fail' })).rejects.toThrow(failure);
});

test('call_tool starts no server for missing arguments and unknown names', async () => {
  const { peerOf, starts } = await deskOf(60);
  const peer = await peerOf();
  const call = (args: unknown, name = 'post_echo') => peer.callTool('call_tool', { name, arguments: args });
  for (const args of [{}, { times: 2 }, undefined]) {
    expect(jsonOf(await call(args))).toStrictEqual({
      error: 'post_echo also needs text in its arguments.',
      code: 'INVALID_ARGUMENT',
      hint: 'Use the inputSchema of the tool.',
    });
  }
  expect(jsonOf(await call({}, 'post_ecoh'))).toStrictEqual({
    error: 'There is no tool with this name.',
    code: 'NOT_FOUND',
    hint: expect.stringContaining('The nearest names: post_echo, '),
  });
  expect(jsonOf(await call({}, 'todo_read'))).toMatchObject({ hint: 'Call todo_read.' });
  expect(starts).toHaveLength(0);
  expect((await call({ text: 'a' })).isError).not.toBe(true);
  expect(starts).toHaveLength(1);
});

test('the search answers as long as there are foreign tools, because a client may have an earlier list', async () => {
  const { peerOf } = await deskOf(3);
  expect(await (await peerOf()).callTool('find_tools', { query: 'repeat' })).toMatchObject({
    structuredContent: { tools: [{ name: 'post_echo' }] },
  });
  const { definition } = await createAggregator({ mounts: own });
  await using alone = await connect(definition);
  await expect(alone.callTool('find_tools', { query: 'x' })).rejects.toThrow('Unknown tool: find_tools');
});

const byteLength = (tools: readonly { readonly outputSchema?: unknown }[]) =>
  // Most hosts leave out the output schemas.
  Buffer.byteLength(JSON.stringify(tools.map(({ outputSchema: _, ...tool }) => tool)));

test.each([
  ['without ManicTime', BUILT_IN_IDS.filter((id) => id !== 'manictime'), 14_500, 16_000],
  ['with ManicTime', BUILT_IN_IDS, 36_000, 30_500],
])(
  'the tools of the default aggregator %s take at most the bytes that a model can spare, also with 300 foreign ones',
  async (_, mounts, limit, limitWithSearch) => {
    const env = { TODO_DATABASE_URL: ':memory:', HOME: temporaryFolder() };
    await using builtIn = await openBuiltIn(env, { mounts });
    const sources = { post: trustingSource({ ...emptyListing, tools: numbered(300) }) };
    const { openTransport } = fakeTransports();
    await using desk = await deskWith({ post: running(fakeServer()) }, { openTransport, sources });
    for (const [others, most] of [
      [[], limit],
      [desk.aggregator.mounts, limitWithSearch],
    ] as const) {
      const { definition } = await createAggregator({ mounts: [...builtIn.mounts, ...others] });
      await using peer = await connect(definition);
      const tools = await peer.listTools();
      expect(tools.length).toBeGreaterThan(5);
      expect(byteLength(tools)).toBeLessThanOrEqual(most);
    }
  },
);

test('a word of a name counts more than one of a description', () => {
  const find = ranking([
    { name: 'a_send_mail', description: 'Delivers a letter.', inputSchema: {} },
    { name: 'b_read', description: 'Reads mail that others send.', inputSchema: {} },
    {
      name: 'c_other',
      description: 'Has a parameter.',
      inputSchema: { properties: { recipientAddress: {} } },
    },
  ]);
  expect(find('send a mail', 5)).toStrictEqual(['a_send_mail', 'b_read']);
  expect(find('recipient', 5)).toStrictEqual(['c_other']);
  expect(find('the', 5)).toStrictEqual([]);
});

test('a tool that is too long for an answer is named, and hides no other', async () => {
  const text = { type: 'string', description: 'x'.repeat(60_000) };
  const inputSchema = { type: 'object' as const, properties: { text } };
  const tools = [{ name: 'colossal', description: 'Weighs a colossal parcel.', inputSchema }, ...numbered(3)];
  const peer = await (await deskOf(tools)).peerOf();
  const colossal = { name: 'post_colossal', inputSchema: { type: 'object' } };
  const alone = await peer.callTool('find_tools', { query: 'colossal' });
  expect(alone.structuredContent).toStrictEqual({ tools: [colossal] });
  const all = await peer.callTool('find_tools', { query: 'colossal parcel' });
  const found = {
    tools: expect.arrayContaining([colossal, expect.objectContaining({ name: 'post_tool_1' })]),
  };
  expect(all.structuredContent).toMatchObject(found);
});

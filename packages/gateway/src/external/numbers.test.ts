import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createAggregator } from '../aggregator.ts';
import { scriptedDesk } from '../testing/open-desk.ts';
import { payingMount, scriptedPerson } from '../testing/scripted-person.ts';
import { rawDefinition, type RawPeer } from '../testing/raw-peer.ts';
import { type Play, ScriptedServer } from '../testing/scripted.ts';

/** As texts: this program cannot hold them either. */
const NUMBERS = [
  '12345678901234567890',
  '-9007199254740993',
  '1e400',
  '-1E-400',
  '0.1234567890123456789',
  '1152921504606846976',
  '[1,12345678901234567890,{"a":9007199254740993}]',
] as const;
const HELD = ['1', '-0.5', '1e5', '9007199254740991', '3.141592653589793', '0.30000000000000004'] as const;
const ERAS = ['legacy', 'modern'] as const;

/** A desk with a server that answers each call with this JSON, and the JSON text that each side gets. */
async function desk(era: (typeof ERAS)[number], answer: (start: string | number) => string) {
  const server = new ScriptedServer(era, {
    'tools/call': ({ id = 0 }, start) => {
      start.print(`{"jsonrpc":"2.0","id":${id},"result":${answer(id)}}`);
      return undefined;
    },
  });
  // So many are searched.
  server.tools = ['echo', ...Array.from({ length: 60 }, (_, index) => `tool_${index}`)];
  const { peer } = await scriptedDesk(server, {}, { client: { era } });
  return { peer, server };
}

/** A call with arguments of this text. */
async function call(peer: RawPeer, args: string): Promise<void> {
  await peer.request('tools/call', { name: 'x_echo', arguments: exact(args) });
}

/** `JSON.stringify` writes its numbers as the text has them. */
function exact(text: string): Readonly<Record<string, unknown>> {
  return JSON.parse(text, (...[, value, context]: readonly unknown[]) =>
    typeof value === 'number' ? JSON.rawJSON(String(Object(context)['source'])) : value,
  );
}

test.each(ERAS)(
  'arguments reach a server of the %s era with every digit, also through call_tool',
  async (era) => {
    const type = era === 'modern' ? '"resultType":"complete",' : '';
    const { peer, server } = await desk(era, () => `{${type}"content":[]}`);
    for (const number of [...NUMBERS, ...HELD]) {
      const expected = HELD.includes(number as never) ? JSON.stringify(Number(number)) : number;
      await call(peer, `{"id":${number},"text":"12345678901234567890"}`);
      expect(server.running.lines.at(-1)).toContain(
        `"arguments":{"id":${expected},"text":"12345678901234567890"}`,
      );
      const searched = exact(`{"name":"x_echo","arguments":{"searched":${number}}}`);
      await peer.request('tools/call', { name: 'call_tool', arguments: searched });
      expect(server.running.lines.at(-1)).toContain(`"arguments":{"searched":${expected}}`);
    }
  },
);

test.each(ERAS)('results of a server of the %s era reach the client with every digit', async (era) => {
  const type = era === 'modern' ? '"resultType":"complete",' : '';
  for (const number of [...NUMBERS, ...HELD]) {
    const { peer } = await desk(
      era,
      () => `{${type}"content":[],"structuredContent":{"id":${number}},"own":${number}}`,
    );
    await call(peer, '{}');
    const expected = HELD.includes(number as never) ? JSON.stringify(Number(number)) : number;
    const got = peer.lines.findLast((line) => line.includes('"structuredContent"')) ?? '';
    expect(got).toContain(`"structuredContent":{"id":${expected}}`);
    expect(got).toContain(`"own":${expected}`);
  }
});

test('an approval shows every digit, and a yes for one number is none for another, or for an object', async () => {
  const person = scriptedPerson();
  const { mount } = payingMount();
  const mounts = [{ ...mount, isForeign: true }];
  const { definition } = await createAggregator({ mounts, approvals: person.approvals });
  await using peer = await rawDefinition(definition, { era: 'modern' });
  const amounts = ['12345678901234567890', '12345678901234567891', '{"rawJSON":"12345678901234567890"}'];
  for (const amount of amounts)
    peer.start('tools/call', { name: 'shop_pay', arguments: exact(`{"amount":${amount}}`) });
  await expect.poll(() => person.open).toHaveLength(1);
  await setImmediate();
  await expect.poll(() => person.open[0]?.shown()).toHaveLength(3);
  expect(person.open[0]?.approval?.arguments).toStrictEqual([{ name: 'amount', value: amounts[0] }]);
});

test('an own tool gets numbers as JavaScript has them', async () => {
  const { mount, ran } = payingMount();
  const { approvals: _, ...own } = mount;
  const { definition } = await createAggregator({ mounts: [own] });
  await using peer = await rawDefinition(definition, { era: 'legacy' });
  await peer.request('tools/call', { name: 'shop_pay', arguments: exact('{"amount":9007199254740993}') });
  expect(ran).toStrictEqual(['pay 9007199254740992']);
});

const FORM = {
  method: 'elicitation/create',
  params: {
    message: 'How much?',
    requestedSchema: { type: 'object', properties: { n: { type: 'number' } } },
  },
};

/** Asks with the form, as servers of each era do. */
const asking = {
  legacy(_, start) {
    start.say({ id: 'form', ...FORM });
    return undefined;
  },
  modern: ({ params }) =>
    params?.['inputResponses'] === undefined
      ? { resultType: 'input_required', inputRequests: { form: FORM }, requestState: 'asked' }
      : { content: [] },
} satisfies Readonly<Record<string, Play>>;

test.each(ERAS.flatMap((client) => ERAS.map((server) => [client, server] as const)))(
  'what a person with a client of the %s era writes in a form reaches a server of the %s era with every digit',
  async (clientEra, serverEra) => {
    const server = new ScriptedServer(serverEra, { 'tools/call': asking[serverEra] });
    const client = { era: clientEra, capabilities: { elicitation: { form: {} } } };
    const { peer } = await scriptedDesk(server, { isolation: 'per-client' }, { client });
    for (const number of ['12345678901234567890', '0.1234567890123456789', '7']) {
      const answer = { action: 'accept', content: exact(`{"n":${number}}`) };
      peer.answers = () => answer;
      const call = { name: 'x_echo', arguments: {} };
      const { answer: first } = peer.start('tools/call', call);
      if (clientEra === 'modern') {
        const { inputRequests, requestState } = await first;
        const inputResponses = { [Object.keys(inputRequests ?? {})[0] ?? '']: answer };
        peer.start('tools/call', { ...call, inputResponses, requestState });
      }
      await expect
        .poll(() => server.running.lines.findLast((line) => line.includes('"content"')))
        .toContain(`{"action":"accept","content":{"n":${number}}}`);
    }
  },
);

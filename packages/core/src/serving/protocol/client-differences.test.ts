import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { UserError } from '../../errors/index.ts';
import { annotations } from '../../testing/described.ts';
import { connectTo, defineTool, tool } from '../../testing/surface.ts';
import { WIRE_LEGS, type WireHello, type WireLeg } from '../../testing/wire.ts';

const common = { title: 'T', description: 'A tool', annotations, input: z.object({}) };
const tools = [
  tool('text'),
  defineTool({ ...common, name: 'list', output: z.array(z.int()), run: () => [1, 2] }),
  defineTool({ ...common, name: 'number', run: () => '42' }),
  defineTool({ ...common, name: 'object', output: z.object({ ok: z.boolean() }), run: () => ({ ok: true }) }),
  defineTool({
    ...common,
    name: 'fail',
    output: z.object({ ok: z.boolean() }),
    run: () => {
      throw new UserError({ error: 'Not found', code: 'NOT_FOUND', hint: 'Call list.' });
    },
  }),
  defineTool({ ...common, name: 'view', meta: { ui: { visibility: ['app'] } }, run: () => '<html>' }),
  defineTool({ ...common, name: 'both', meta: { ui: { visibility: ['model', 'app'] } }, run: () => 'x' }),
];

const GEMINI = { name: 'gemini-cli-mcp-client', version: '0.61.0' };
const APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };

async function connect(leg: WireLeg, says: WireHello = {}) {
  const { ask } = await connectTo({ tools }, leg, undefined, says);
  const { tools: listed = [] } = (await ask('tools/list')).result ?? {};
  return {
    names: (listed as { name: string }[]).map(({ name }) => name),
    listed: JSON.stringify(listed),
    call: async (name: string) => (await ask('tools/call', { name, arguments: {} })).result,
    list: async () => (await ask('tools/list')).result,
  };
}

describe.each(WIRE_LEGS.filter(({ stateless }) => !stateless))('$leg', (leg) => {
  test('a client that reads texts as objects gets no output schemas, and an object for each JSON text', async () => {
    const gemini = await connect(leg, { clientInfo: GEMINI });
    expect(gemini.listed).not.toContain('outputSchema');
    expect(await gemini.call('list')).toMatchObject({
      content: [{ type: 'text', text: '[1,2]' }],
      structuredContent: { items: [1, 2] },
    });
    expect(await gemini.call('number')).toMatchObject({
      content: [{ text: '42' }],
      structuredContent: { value: 42 },
    });
    expect(await gemini.call('object')).toMatchObject({ structuredContent: { ok: true } });
    expect(await gemini.call('fail')).not.toHaveProperty('structuredContent');
  });

  test('any other client gets output schemas and the text of a list alone', async () => {
    const other = await connect(leg, { clientInfo: { name: 'other', version: '1' } });
    expect(other.listed).toContain('outputSchema');
    expect(await other.call('list')).not.toHaveProperty('structuredContent');
    expect(await other.call('number')).not.toHaveProperty('structuredContent');
  });

  test('a tool for views only is listed to clients that declare MCP Apps', async () => {
    const { names } = await connect(leg);
    expect(names.toSorted()).toEqual(['both', 'fail', 'list', 'number', 'object', 'text']);
    const apps = await connect(leg, { capabilities: APPS });
    expect(apps.names).toContain('view');
    // Its view calls it without listing it.
    expect(await (await connect(leg)).call('view')).toMatchObject({ content: [{ text: '<html>' }] });
    if (leg.era === 'modern') expect(await apps.list()).toMatchObject({ cacheScope: 'private' });
  });
});

test('a client of stateless HTTP is not known in a list, so nothing is hidden from it', async () => {
  const { names } = await connect({ era: 'legacy', over: 'http', stateless: true });
  expect(names).toContain('view');
});

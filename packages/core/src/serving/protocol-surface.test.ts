import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { changeFeed } from '../definition/changes.ts';
import { defineServer } from '../definition/server.ts';
import { testContext } from '../testkit/test-context.ts';
import {
  connectTo,
  defineTool,
  icons,
  LEGACY,
  meta,
  MODERN,
  names,
  prompt,
  resource,
  tool,
  type Spec,
} from '../testing/surface.ts';
import { WIRE_LEGS, type WireClient } from '../testing/wire.ts';
import { described } from '../testing/described.ts';

describe('cache hints', () => {
  const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
  const full: Spec = { tools: [tool('t')], prompts: [prompt], resources: [resource('x://1')] };

  test('lists are cached for a minute and shared, reads are not cached', async () => {
    const { ask, greeting } = await connectTo(full, MODERN);
    for (const list of LISTS) {
      expect((await ask(list)).result, list).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' });
    }
    expect((await ask('resources/read', { uri: 'x://1' })).result).toMatchObject({
      ttlMs: 0,
      cacheScope: 'private',
    });
    expect(await greeting()).toMatchObject({ ttlMs: 60_000, cacheScope: 'private' });
  });

  test('a server sets its own hints', async () => {
    const caching = { lists: { ttlMs: 5 }, reads: { ttlMs: 7 } };
    const { ask } = await connectTo({ ...full, caching, resources: [resource('x://1')] }, MODERN);
    expect((await ask('tools/list')).result).toMatchObject({ ttlMs: 5, cacheScope: 'public' });
    expect((await ask('resources/read', { uri: 'x://1' })).result).toMatchObject({ ttlMs: 7 });
  });

  test('lists that depend on the principal are for the same caller only', async () => {
    const { ask } = await connectTo(
      {
        tools: () => [tool('t')],
        prompts: () => [prompt],
        resources: () => [resource('x://1')],
        templates: () => [],
      },
      MODERN,
    );
    for (const list of LISTS) {
      expect((await ask(list)).result, list).toMatchObject({ cacheScope: 'private' });
    }
  });

  test('the list of a template receives the request, so it is for the same caller only', async () => {
    const templates = [{ uriTemplate: 'x://{id}', name: 'x', read: () => undefined }];
    const { ask } = await connectTo({ templates }, MODERN);
    expect((await ask('resources/list')).result).toMatchObject({ cacheScope: 'private' });
  });

  test('the legacy era has no cache hints', async () => {
    const { ask } = await connectTo({ ...full, resources: [resource('x://1')] }, LEGACY);
    expect((await ask('tools/list')).result).not.toHaveProperty('ttlMs');
    expect((await ask('resources/read', { uri: 'x://1' })).result).not.toHaveProperty('ttlMs');
  });
});

/** The keys of a list's items. */
async function keys({ ask }: WireClient, method: string, list: string, key: string): Promise<unknown[]> {
  const { result } = await ask(method);
  expect(result).not.toHaveProperty('nextCursor');
  return z
    .array(z.record(z.string(), z.unknown()))
    .parse(result?.[list])
    .map((item) => item[key]);
}

describe.each(WIRE_LEGS)('what is listed, $leg', ({ leg, ...where }) => {
  test(`${leg}: icons and _meta are listed on tools, prompts, resources and templates, and the arguments of prompts`, async () => {
    const extras = { icons, _meta: meta };
    const { ask, greeting } = await connectTo(
      {
        icons,
        tools: [tool('t')],
        prompts: [prompt],
        resources: [{ ...resource('x://1'), ...extras }],
        templates: [{ uriTemplate: 'x://{id}', name: 'x', read: () => undefined, ...extras }],
      },
      where,
    );
    expect((await ask('tools/list')).result).toMatchObject({ tools: [extras] });
    const promptArguments = [
      { name: 'topic', title: 'Topic', description: 'What to ask about', required: false },
      { name: 'tone', description: 'How to ask', required: false },
      { name: 'count', required: true },
    ];
    expect((await ask('prompts/list')).result).toMatchObject({
      prompts: [{ ...extras, arguments: promptArguments }],
    });
    expect((await ask('resources/list')).result).toMatchObject({ resources: [extras] });
    expect((await ask('resources/templates/list')).result).toMatchObject({ resourceTemplates: [extras] });
    expect(JSON.stringify(await greeting())).toContain(JSON.stringify(icons));
  });

  test(`${leg}: a tool sees the _meta of its request without the envelope`, async () => {
    const { ask } = await connectTo({ tools: [tool('t')] }, where);
    const traced = await ask('tools/call', { name: 't', _meta: { traceparent: '00-1-2-01' } });
    const [block] = z.array(z.object({ text: z.string() })).parse(traced.result?.['content']);
    expect(JSON.parse(block?.text ?? '')).toMatchObject({ meta: { traceparent: '00-1-2-01' } });
    expect(block?.text).not.toContain('protocolVersion');
    const plain = await ask('tools/call', { name: 't' });
    expect(JSON.stringify(plain.result?.['content'])).toContain('\\"meta\\":{}');
  });

  test(`${leg}: a client that declares elicitation without a mode accepts forms`, async () => {
    const asked = defineTool({
      ...described('asked'),
      run: (_, __, { input }) => JSON.stringify(input.capabilities),
    });
    const { ask } = await connectTo({ tools: [asked] }, where);
    const _meta =
      where.era === 'legacy' ? { 'io.modelcontextprotocol/clientCapabilities': { roots: {} } } : {};
    const { result } = await ask('tools/call', { name: 'asked', _meta });
    // In the legacy era, only `initialize` declares, and a stateless server has not seen it.
    const declared = where.stateless ? {} : { elicitation: { form: {} } };
    expect(result).toMatchObject({ content: [{ text: JSON.stringify(declared) }] });
  });

  test(`${leg}: only a connection that lasts offers subscriptions and list changes`, async () => {
    const { greeting } = await connectTo(
      { tools: [tool('t')], resources: [resource('x://1')], changes: changeFeed() },
      where,
    );
    const offers = !where.stateless;
    expect(await greeting()).toMatchObject({
      capabilities: {
        tools: offers ? { listChanged: true } : {},
        resources: offers ? { listChanged: true, subscribe: true } : {},
      },
    });
    const text = JSON.stringify(await greeting());
    expect(text.includes('subscribe')).toBe(offers);
    expect(text.includes('listChanged')).toBe(offers);
  });

  test(`${leg}: every list is sent whole, and a cursor is answered with -32602`, async () => {
    const client = await connectTo(
      {
        tools: names(1001).map(tool),
        prompts: [prompt],
        resources: [resource('x://1')],
        templates: [{ uriTemplate: 'x://{id}', name: 'x', read: () => undefined }],
      },
      where,
    );
    expect(await keys(client, 'tools/list', 'tools', 'name')).toStrictEqual(names(1001));
    for (const list of ['tools', 'prompts', 'resources', 'resources/templates']) {
      expect(await client.ask(`${list}/list`, { cursor: '1000' })).toMatchObject({
        error: {
          code: -32_602,
          message: expect.stringMatching(/^Invalid cursor/),
          data: { code: 'INVALID_ARGUMENT', hint: 'Read the list again without a cursor.' },
        },
      });
    }
  });
});

test.each(['__proto__', 'constructor', 'toString', 'missing'])(
  'an argument named %s that has no completer has no suggestions',
  async (name) => {
    const definition = defineServer({
      name: 'x',
      version: '1',
      deps: undefined,
      templates: [
        { uriTemplate: 'x://{id}', name: 'x', complete: { id: () => ['one'] }, read: () => undefined },
      ],
    });
    const ref = { type: 'ref/resource', uri: 'x://{id}' } as const;
    const complete = (argument: string) =>
      definition.complete({ ref, argument: { name: argument, value: '' } }, testContext());
    expect(await complete('id')).toMatchObject({ completion: { values: ['one'] } });
    expect(await complete(name)).toMatchObject({ completion: { values: [], total: 0 } });
  },
);

describe('lists that change', () => {
  test('a tool is listed and called for the principals that it is offered to', async () => {
    const definition = defineServer({
      name: 'x',
      version: '1',
      deps: undefined,
      tools: (_, { user }) => (user === 'anna' ? [tool('b'), tool('a')] : [tool('b')]),
    });
    const anna = testContext({ principal: { user: 'anna' } });
    const ben = testContext({ principal: { user: 'ben' } });
    expect((await definition.listTools(anna)).map(({ name }) => name)).toStrictEqual(['b', 'a']);
    expect((await definition.listTools(ben)).map(({ name }) => name)).toStrictEqual(['b']);
    expect(await definition.callTool('a', {}, anna)).toBeDefined();
    expect(await definition.callTool('a', {}, ben)).toBeUndefined();
    expect(definition.capabilities.tools).toBe(true);
  });

  test('a chosen list with two tools of one name is an internal error, and its reason is logged', async () => {
    const lines: string[] = [];
    const { ask } = await connectTo({ tools: () => [tool('a'), tool('a')] }, MODERN, (line) =>
      lines.push(line),
    );
    expect((await ask('tools/list')).error).toMatchObject({ code: -32_603, message: 'Internal error' });
    expect(lines.join('')).toContain('Two tools have the name \\"a\\". Change one.');
  });
});

test('the list of resources has those that templates list', async () => {
  const spec = {
    resources: [resource('x://fixed'), { ...resource('x://hidden'), listed: false }],
    templates: ['a', 'b', 'c'].map((name) => ({
      uriTemplate: `${name}://{id}`,
      name,
      read: () => undefined,
      list: () => (name === 'b' ? [] : [{ uri: `${name}://1`, name }]),
    })),
  };
  const client = await connectTo(spec, MODERN);
  expect(await keys(client, 'resources/list', 'resources', 'uri')).toStrictEqual([
    'x://fixed',
    'a://1',
    'c://1',
  ]);
  // Its own URIs are all that are fixed, without asking a template.
  const server = defineServer({ name: 's', version: '1.0.0', deps: undefined, ...spec });
  expect(await server.resourceUris(testContext())).toStrictEqual(['x://fixed', 'x://hidden']);
});

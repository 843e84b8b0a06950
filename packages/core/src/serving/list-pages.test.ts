import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { allResources } from '../definition/resource-list.ts';
import { testContext } from '../testkit/context.ts';
import { connectTo, MODERN, names, prompt, resource, tool } from '../testing/surface.ts';
import { WIRE_LEGS, type WireClient } from '../testing/wire.ts';

/** Reads all pages of a list. */
async function pages({ ask }: WireClient, method: string, key: string): Promise<unknown[][]> {
  const all: unknown[][] = [];
  let cursor: unknown;
  do {
    const { result } = await ask(method, cursor === undefined ? {} : { cursor });
    all.push(z.array(z.unknown()).parse(result?.[key]));
    cursor = result?.['nextCursor'];
  } while (cursor !== undefined);
  return all;
}

const keysOf = (items: readonly unknown[][], key: string) =>
  items.map((page) => page.map((item) => z.record(z.string(), z.unknown()).parse(item)[key]));

describe.each(WIRE_LEGS)('lists in pages, $leg', ({ leg, ...where }) => {
  test(`${leg}: every list is sent in pages of the configured size`, async () => {
    const client = await connectTo(
      {
        pageSize: 2,
        tools: names(5).map(tool),
        prompts: names(3).map((name) => Object.assign({}, prompt, { name })),
        resources: names(4).map((name) => resource(`x://${name}`)),
        templates: names(3).map((name) => ({
          uriTemplate: `x://${name}/{id}`,
          name,
          read: () => undefined,
        })),
      },
      where,
    );
    const tools = await pages(client, 'tools/list', 'tools');
    expect(keysOf(tools, 'name')).toStrictEqual([['t1', 't2'], ['t3', 't4'], ['t5']]);
    const prompts = await pages(client, 'prompts/list', 'prompts');
    expect(keysOf(prompts, 'name')).toStrictEqual([['t1', 't2'], ['t3']]);
    const resources = await pages(client, 'resources/list', 'resources');
    expect(keysOf(resources, 'uri')).toStrictEqual([
      ['x://t1', 'x://t2'],
      ['x://t3', 'x://t4'],
    ]);
    const templates = await pages(client, 'resources/templates/list', 'resourceTemplates');
    expect(keysOf(templates, 'name')).toStrictEqual([['t1', 't2'], ['t3']]);
  });

  test.each(['', 'x', 'W10', 'WyJ4IiwwLCIiXQ', 'W251bGwsMiwidDkiXQ', 'W251bGwsLTEsInQyIl0'])(
    `${leg}: the invalid cursor %j is answered with -32602`,
    async (cursor) => {
      const { ask } = await connectTo(
        { tools: names(3).map(tool), prompts: [prompt], resources: [resource('x://1')] },
        where,
      );
      for (const list of ['tools', 'prompts', 'resources', 'resources/templates']) {
        expect(await ask(`${list}/list`, { cursor })).toMatchObject({
          error: {
            code: -32_602,
            message: expect.stringMatching(/^Invalid cursor/),
            data: { code: 'INVALID_ARGUMENT', hint: 'Read the list again without a cursor.' },
          },
        });
      }
    },
  );

  test(`${leg}: a page continues after its last item if the list has grown before it`, async () => {
    let offered = names(4).map(tool);
    const { ask } = await connectTo({ pageSize: 2, tools: () => offered }, where);
    const first = (await ask('tools/list')).result;
    offered = [...offered, tool('a')];
    const second = (await ask('tools/list', { cursor: first?.['nextCursor'] })).result;
    expect(second).toMatchObject({ tools: [{ name: 't3' }, { name: 't4' }] });
  });
});

test('a template lists its resources in pages with its own cursors', async () => {
  const seen: unknown[] = [];
  const client = await connectTo(
    {
      resources: [resource('x://fixed')],
      templates: [
        {
          uriTemplate: 'a://{id}',
          name: 'a',
          read: () => undefined,
          list: (_, __, cursor) => {
            seen.push(cursor);
            const page = Number(cursor ?? '1');
            const items = [{ uri: `a://${page}`, name: 'a' }];
            return page === 3 ? { items } : { items, nextCursor: String(page + 1) };
          },
        },
        {
          uriTemplate: 'b://{id}',
          name: 'b',
          read: () => undefined,
          list: () => [{ uri: 'b://1', name: 'b' }],
        },
      ],
    },
    MODERN,
  );
  expect(keysOf(await pages(client, 'resources/list', 'resources'), 'uri')).toStrictEqual([
    ['x://fixed', 'a://1', 'b://1'],
    ['a://2'],
    ['a://3'],
  ]);
  expect(seen).toStrictEqual([undefined, '2', '3']);
  for (const inner of ['[["z://{id}","2"]]', '[["a://{id}",2]]', '{}', 'x']) {
    const cursor = Buffer.from(JSON.stringify([inner, 0, ''])).toString('base64url');
    expect(await client.ask('resources/list', { cursor }), inner).toMatchObject({ error: { code: -32_602 } });
  }
});

/** A list whose pages are named by their cursors. */
function listing(nextCursor: (given: string | undefined) => string | undefined) {
  return {
    listResources(_: unknown, cursor?: string) {
      const next = nextCursor(cursor);
      const items = [{ uri: `x://${cursor ?? 'first'}`, name: 'x' }];
      return next === undefined ? { items } : { items, nextCursor: next };
    },
  };
}

test('allResources reads every page, and stops at a list that repeats its pages', async () => {
  const two = listing((given) => (given === undefined ? 'second' : undefined));
  const all = await allResources(two, testContext());
  expect(all.map(({ uri }) => uri)).toStrictEqual(['x://first', 'x://second']);
  const endless = listing(() => 'again');
  await expect(allResources(endless, testContext())).rejects.toThrow(
    'A list of resources repeats its pages.',
  );
});

async function pageLengths(count: number) {
  const client = await connectTo({ resources: names(count).map((name) => resource(`x://${name}`)) }, MODERN);
  return (await pages(client, 'resources/list', 'resources')).map((page) => page.length);
}

test('a list of 1,000 items is one page, and of 1,001 two', async () => {
  expect(await pageLengths(1000)).toStrictEqual([1000]);
  expect(await pageLengths(1001)).toStrictEqual([1000, 1]);
});

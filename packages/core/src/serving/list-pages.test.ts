import { describe, expect, test } from 'vitest';
import { z } from 'zod';
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
  test(`${leg}: every list is sent in pages of 1,000 items`, async () => {
    const client = await connectTo(
      {
        tools: names(1001).map(tool),
        prompts: names(1001).map((name) => Object.assign({}, prompt, { name })),
        resources: names(1001).map((name) => resource(`x://${name}`)),
        templates: names(1001).map((name) => ({
          uriTemplate: `x://${name}/{id}`,
          name,
          read: () => undefined,
        })),
      },
      where,
    );
    const expected = [names(1001).slice(0, 1000), names(1001).slice(1000)];
    expect(keysOf(await pages(client, 'tools/list', 'tools'), 'name')).toStrictEqual(expected);
    const prompts = await pages(client, 'prompts/list', 'prompts');
    expect(keysOf(prompts, 'name')).toStrictEqual(expected);
    const resources = await pages(client, 'resources/list', 'resources');
    expect(resources.map((page) => page.length)).toStrictEqual([1000, 1]);
    const templates = await pages(client, 'resources/templates/list', 'resourceTemplates');
    expect(keysOf(templates, 'name')).toStrictEqual(expected);
  });

  test.each(['', 'x', '0', '3', '-1', '1.5', '01', ' 1', '1e0', 'NaN'])(
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
});

test('the list of resources has those that templates list', async () => {
  const client = await connectTo(
    {
      resources: [resource('x://fixed'), { ...resource('x://hidden'), listed: false }],
      templates: ['a', 'b', 'c'].map((name) => ({
        uriTemplate: `${name}://{id}`,
        name,
        read: () => undefined,
        list: () => (name === 'b' ? [] : [{ uri: `${name}://1`, name }]),
      })),
    },
    MODERN,
  );
  expect(keysOf(await pages(client, 'resources/list', 'resources'), 'uri')).toStrictEqual([
    ['x://fixed', 'a://1', 'c://1'],
  ]);
});

async function pageLengths(count: number) {
  const client = await connectTo({ resources: names(count).map((name) => resource(`x://${name}`)) }, MODERN);
  return (await pages(client, 'resources/list', 'resources')).map((page) => page.length);
}

test('a list of 1,000 items is one page, and of 1,001 two', async () => {
  expect(await pageLengths(1000)).toStrictEqual([1000]);
  expect(await pageLengths(1001)).toStrictEqual([1000, 1]);
});

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { connectTo, MODERN, names, prompt, resource, tool } from '../testing/surface.ts';
import { WIRE_LEGS, type WireClient } from '../testing/wire.ts';

/** The keys of a list's items. */
async function keys({ ask }: WireClient, method: string, list: string, key: string): Promise<unknown[]> {
  const { result } = await ask(method);
  expect(result).not.toHaveProperty('nextCursor');
  return z
    .array(z.record(z.string(), z.unknown()))
    .parse(result?.[list])
    .map((item) => item[key]);
}

describe.each(WIRE_LEGS)('lists, $leg', ({ leg, ...where }) => {
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
  expect(await keys(client, 'resources/list', 'resources', 'uri')).toStrictEqual([
    'x://fixed',
    'a://1',
    'c://1',
  ]);
});

import { describe, expect, test } from 'vitest';
import { connect } from '../testkit/connect.ts';
import { serverOf } from '../testing/surface.ts';
import { WIRE_LEGS } from '../testing/wire.ts';

const repeating = serverOf('repeat', async ({ progress }, args) => {
  const text = String(args['text']);
  await progress(1, 2, text);
  return text;
});

/** What ends a line, a frame or a text somewhere. */
const texts: Readonly<Record<string, string>> = {
  CR: 'a\rb',
  LF: 'a\nb',
  CRLF: 'a\r\n\r\nb',
  'line separator': 'a\u2028b\u2029c',
  BOM: '\uFEFFa\uFEFF',
  NUL: 'a\u0000b',
  'lone surrogate': 'a\uD800b\uDC00',
  'next line': 'a\u0085b',
  'end of a frame': 'data: x\n\n',
  'fake frame': '\n\nevent: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n',
  'fake answer': '"}}\n{"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n',
  '70 kB of emoji': '🙂'.repeat(17_500),
};

describe.each(WIRE_LEGS.filter(({ stateless }) => !stateless))('$leg', ({ era, over }) => {
  test.each(Object.keys(texts))('%s passes unchanged, as progress and as an answer', async (name) => {
    const text = texts[name] ?? '';
    await using peer = await connect(repeating, { era, over });
    const shown: unknown[] = [];
    const onprogress = ({ message }: { message?: string | undefined }) => void shown.push(message);
    const call = { name: 'repeat', arguments: { text } };
    const { content } = await peer.client.callTool(call, { onprogress });
    expect(content).toEqual([{ type: 'text', text }]);
    expect(shown).toEqual([text]);
    // The same as JSON in one write.
    expect((await peer.client.callTool(call)).content).toEqual(content);
  });
});

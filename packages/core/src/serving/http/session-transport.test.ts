import { expect, test } from 'vitest';
import { authInfoOf } from '../protocol/connection.ts';
import { SessionTransport } from './session-transport.ts';

test('the stream of a client that reads too slowly ends, and the client can open another', async () => {
  const transport = new SessionTransport('session');
  let ended = 0;
  const open = () => {
    const request = new Request('http://localhost/mcp', { headers: { Accept: 'text/event-stream' } });
    return transport.handle(request, authInfoOf({ user: 'owner' }), undefined, () => (ended += 1));
  };
  const tell = (data: string) =>
    transport.send({ jsonrpc: '2.0', method: 'notifications/message', params: { data } });
  const slow = await open();
  await tell('x'.repeat(5_000_000));
  expect(ended).toBe(0);
  await tell('too much');
  expect(ended).toBe(1);
  // What was sent before is not lost.
  expect((await slow.text()).length).toBeGreaterThan(5_000_000);
  const next = await open();
  await tell('again');
  await transport.close();
  expect(await next.text()).toMatch(/^event: message\ndata: \{.*"again".*\}\n\n$/);
});

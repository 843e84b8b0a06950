import { PassThrough, type Readable, type Writable } from 'node:stream';
import { createInterface } from 'node:readline';
import { type Caller, clientInfo, resultOf } from './caller.ts';

/** The server's side of a pair of streams. */
export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
}

/** A client of the legacy era, initialized, on a pair of streams in this process; one request at a time. */
export async function streamCaller(serve: (streams: Streams) => void | Promise<void>): Promise<Caller> {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const lines = createInterface({ input: toClient })[Symbol.asyncIterator]();
  const send = (message: object) => toServer.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let id = 0;
  const call: Caller = async (method, params) => {
    id += 1;
    send({ id, method, params });
    const { value } = await lines.next();
    return resultOf(String(value));
  };
  await serve({ input: toServer, output: toClient });
  await call('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  send({ method: 'notifications/initialized' });
  return call;
}

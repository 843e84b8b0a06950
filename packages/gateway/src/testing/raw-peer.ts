import { createInterface } from 'node:readline';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { type Era, type ServerDefinition, silentLog } from '@deskside/core';
import { serve } from '@deskside/core/serving';

type Json = Readonly<Record<string, unknown>>;

/** A JSON-RPC message as it came, so that a test sees every byte of a result. */
export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: Json;
}

export type RawPeer = Awaited<ReturnType<typeof rawPeer>>;

export interface RawOptions {
  readonly era: Era;
  readonly capabilities?: Json;
}

const MODERN = '2026-07-28';

/** Speaks JSON-RPC in lines without a library between the test and the bytes. */
export async function rawPeer(
  input: Writable,
  output: Readable,
  { era, capabilities = {} }: RawOptions,
  close: () => Promise<void>,
) {
  const waiting = new Map<number, (message: Message) => void>();
  const notifications: Message[] = [];
  const lines: string[] = [];
  let lastId = 0;
  const send = (message: Json) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };

  function start(method: string, params: Json = {}) {
    lastId += 1;
    const id = lastId;
    const { promise, resolve } = Promise.withResolvers<Json>();
    waiting.set(id, ({ result, error }) => resolve(result ?? { error }));
    const given = params['_meta'] as Json | undefined;
    const own = era === 'modern' ? { ...params, _meta: { ...meta, ...given } } : params;
    send({ id, method, params: own });
    return { id, answer: promise };
  }

  const peer = {
    /** Sends a request and returns its id at once. */
    start,
    /** Resolves with the result, or with `{ error }`. */
    request: (method: string, params?: Json) => start(method, params).answer,
    notify: (method: string, params: Json = {}) => void send({ method, params }),
    /** Answers requests of the server; a rejection is an error. */
    answers: (_message: Message): Json | Promise<Json> | undefined => undefined,
    notifications,
    /** Everything that came. */
    lines: lines as readonly string[],
    [Symbol.asyncDispose]: close,
  };
  createInterface({ input: output }).on('line', (line) => {
    lines.push(line);
    const message = JSON.parse(line) as Message;
    if (message.method === undefined) {
      waiting.get(Number(message.id))?.(message);
    } else if (message.id === undefined) {
      notifications.push(message);
    } else {
      const { id } = message;
      void Promise.resolve(peer.answers(message)).then(
        (result = {}) => send({ id, result }),
        ({ message: text }: Error) => send({ id, error: { code: -1, message: text } }),
      );
    }
  });
  if (era === 'legacy') {
    const clientInfo = { name: 'raw', version: '1' };
    await peer.request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
    peer.notify('notifications/initialized');
  }
  return peer;
}

/** A client of a definition in this process, over streams. */
export async function rawDefinition(definition: ServerDefinition, options: RawOptions) {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const serving = await serve(definition, {
    streams: { input: toServer, output: toClient },
    log: silentLog,
    ownsProcess: false,
  });
  return rawPeer(toServer, toClient, options, async () => {
    toServer.end();
    await serving.close();
  });
}

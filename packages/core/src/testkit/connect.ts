import { PassThrough, type Readable, type Writable } from 'node:stream';
import {
  type CallToolResult,
  Client,
  type ClientOptions,
  type GetPromptResult,
  type Implementation,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type ReadResourceResult,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client';
import { BoundedLines } from '../base/bounded-lines.ts';
import type { Era } from '../definition/context.ts';
import type { ServerDefinition } from '../definition/server.ts';
import { silentLog } from '../log.ts';
import { serve } from '../serving/serve.ts';

/** A client of one era that is connected to a server. */
export interface Peer extends AsyncDisposable {
  readonly era: Era;
  /** The SDK's client, for everything that has no method here. */
  readonly client: Client;
  readonly instructions: string | undefined;
  /** All tools, in the server's order. */
  listTools(): Promise<readonly Tool[]>;
  /** @param meta of the request, for example the id of a conversation */
  callTool(
    name: string,
    args?: Record<string, unknown>,
    meta?: Record<string, unknown>,
  ): Promise<CallToolResult>;
  getPrompt(name: string, args?: Record<string, string>): Promise<GetPromptResult>;
  readResource(uri: string): Promise<ReadResourceResult>;
}

const MODERN_VERSION = '2026-07-28';

export interface ConnectOptions {
  /** Default `modern`. */
  readonly era?: Era;
  /** `stdio` connects by a pair of streams, `http` by a port on loopback. Default `stdio`. */
  readonly over?: 'stdio' | 'http';
  /** The authenticated user. Default `owner`. */
  readonly user?: string;
  /** What the client declares. Sampling, roots and elicitation need handlers on `peer.client`. */
  readonly capabilities?: NonNullable<ClientOptions['capabilities']>;
  /** What the client calls itself. */
  readonly clientInfo?: Implementation;
}

/**
 * Serves a definition in this process and connects the official client to it, through the same handshake, validation
 * and guards as in production. Disposing of the peer stops the server.
 */
export async function connect(definition: ServerDefinition, options: ConnectOptions = {}): Promise<Peer> {
  const server = await serveInProcess(definition, options);
  try {
    const peer = await connectTransport(server.transport, options);
    return {
      ...peer,
      async [Symbol.asyncDispose]() {
        await peer[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

/** A server in this process. */
export interface InProcessServer extends AsyncDisposable {
  /** Over HTTP. */
  readonly url: string | undefined;
  /** The client's side of the connection. */
  readonly transport: Transport;
}

/** Serves a definition in this process without a client, for tests that bring another client. */
export async function serveInProcess(
  definition: ServerDefinition,
  { over = 'stdio', user = 'owner' }: Pick<ConnectOptions, 'over' | 'user'> = {},
): Promise<InProcessServer> {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const serving = await serve(definition, {
    user,
    log: silentLog,
    ownsProcess: false,
    ...(over === 'http'
      ? { http: { port: 0, auth: 'none' } }
      : { streams: { input: toServer, output: toClient } }),
  });
  return {
    url: serving.url,
    transport:
      serving.url === undefined
        ? new StreamTransport(toClient, toServer)
        : new StreamableHTTPClientTransport(new URL(serving.url)),
    [Symbol.asyncDispose]: () => serving.close(),
  };
}

/** Connects the official client over any transport, for example to a process or to a URL. */
export async function connectTransport(
  transport: Transport,
  {
    era = 'modern',
    capabilities = {},
    clientInfo = { name: 'test', version: '1.0.0' },
  }: Omit<ConnectOptions, 'over' | 'user'> = {},
): Promise<Peer> {
  const client = new Client(clientInfo, {
    capabilities,
    versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: MODERN_VERSION } },
  });
  await client.connect(transport);
  return {
    era,
    client,
    instructions: client.getInstructions(),
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args = {}, meta) =>
      client.callTool({ name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) }),
    getPrompt: (name, args = {}) => client.getPrompt({ name, arguments: args }),
    readResource: (uri) => client.readResource({ uri }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/**
 * The text of the first content block.
 *
 * @throws Error if the first block is not a text
 */
export function firstText({ content }: CallToolResult): string {
  const [block] = content;
  if (block?.type !== 'text') throw new Error(`The first block is ${block?.type ?? 'missing'}, not a text.`);
  return block.text;
}

/** The client's side of a pair of streams. */
class StreamTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #input: Readable;
  readonly #output: Writable;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  async start(): Promise<void> {
    // Not `readline`, for which U+2028 inside of a text ends a line.
    const lines = new BoundedLines(Number.POSITIVE_INFINITY);
    this.#input.on('data', (chunk: Buffer) => {
      for (const line of lines.split(chunk))
        if (line.kind === 'line') this.onmessage?.(parseJSONRPCMessage(JSON.parse(line.text)));
    });
    this.#input.on('end', () => this.onclose?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#output.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#output.end();
  }
}

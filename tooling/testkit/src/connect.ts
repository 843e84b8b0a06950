import { PassThrough } from 'node:stream';
import { type Era, serve, type ServerDefinition, silentLog } from '@deskside/core';
import {
  type Transport as ModernTransport,
  Client as ModernClient,
  type ClientOptions,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as LegacyTransport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { legacyPeer, modernPeer, type Peer } from './peer.ts';
import { StreamTransport } from './stream-transport.ts';

const IDENTITY = { name: 'testkit', version: '1.0.0' };

/** What the client says it can do; sampling, roots and elicitation need handlers on `peer.client`. */
export type Capabilities = NonNullable<ClientOptions['capabilities']>;

export interface ConnectOptions {
  readonly era: Era;
  readonly capabilities?: Capabilities;
}

/** A client of a server that listens somewhere. */
export function connectHttp(
  url: string,
  options: ConnectOptions & { readonly token?: string },
): Promise<Peer> {
  const headers: Record<string, string> =
    options.token === undefined ? {} : { Authorization: `Bearer ${options.token}` };
  const init = { requestInit: { headers } };
  return options.era === 'modern'
    ? connectModern(new ModernHttp(new URL(url), init), options)
    : connectLegacy(new LegacyHttp(new URL(url), init), options);
}

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A client that starts the server as hosts do: a process with pipes. */
export function connectStdio({ command, args, env }: Command, options: ConnectOptions): Promise<Peer> {
  const parameters = {
    command,
    args: [...args],
    stderr: 'ignore' as const,
    ...(env === undefined ? {} : { env: { ...env } }),
  };
  return options.era === 'modern'
    ? connectModern(new ModernStdio(parameters), options)
    : connectLegacy(new LegacyStdio(parameters), options);
}

export interface InProcessOptions extends ConnectOptions {
  readonly over: 'stdio' | 'http';
  /** Default `owner`. */
  readonly user?: string;
}

/** The four ways to a server: both eras, both transports. */
export const LEGS = [
  { era: 'legacy', over: 'stdio' },
  { era: 'legacy', over: 'http' },
  { era: 'modern', over: 'stdio' },
  { era: 'modern', over: 'http' },
] as const satisfies readonly InProcessOptions[];

/** A client of a definition, served in this process over real HTTP or a pair of streams. */
export async function connectInProcess(
  definition: ServerDefinition,
  { over, user = 'owner', ...options }: InProcessOptions,
): Promise<Peer> {
  const common = { user, log: silentLog, ownsProcess: false };
  if (over === 'http') {
    const serving = await serve(definition, { ...common, http: { port: 0, auth: 'none' } });
    return closingAlso(await connectHttp(serving.url ?? '', options), () => serving.close());
  }
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const serving = await serve(definition, { ...common, streams: { input: toServer, output: toClient } });
  const transport = new StreamTransport(toClient, toServer);
  const peer = await (options.era === 'modern'
    ? connectModern(transport as unknown as ModernTransport, options)
    : connectLegacy(transport as unknown as LegacyTransport, options));
  return closingAlso(peer, () => serving.close());
}

async function connectModern(
  transport: ModernTransport,
  { capabilities = {} }: ConnectOptions,
): Promise<Peer> {
  const client = new ModernClient(IDENTITY, {
    capabilities,
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  });
  await client.connect(transport);
  return modernPeer(client, () => client.close());
}

async function connectLegacy(
  transport: LegacyTransport,
  { capabilities = {} }: ConnectOptions,
): Promise<Peer> {
  const client = new LegacyClient(IDENTITY, { capabilities });
  await client.connect(transport);
  return legacyPeer(client, () => client.close());
}

function closingAlso(peer: Peer, close: () => Promise<void>): Peer {
  return {
    ...peer,
    async [Symbol.asyncDispose]() {
      await peer[Symbol.asyncDispose]();
      await close();
    },
  };
}

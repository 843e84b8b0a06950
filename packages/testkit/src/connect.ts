import type { Era, ServerDefinition } from '@deskside/core';
import { connect, connectTransport, type Peer as ModernPeer, serveInProcess } from '@deskside/core/testing';
import {
  type CallToolResult,
  type ClientOptions,
  StreamableHTTPClientTransport as ModernHttp,
  type Tool,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as LegacyTransport } from '@modelcontextprotocol/sdk/shared/transport.js';

import { type Command, ownEnvironment } from './program.ts';

/** A connected client: the official client of version 1 in the legacy era, of version 2 in the modern era. */
export interface Peer extends Omit<ModernPeer, 'client'> {
  readonly client: ModernPeer['client'] | LegacyClient;
}

/** Capabilities that the client declares. Sampling, roots and elicitation need handlers on `peer.client`. */
export type Capabilities = NonNullable<ClientOptions['capabilities']>;

export interface ConnectOptions {
  readonly era: Era;
  readonly capabilities?: Capabilities;
  readonly clientInfo?: { readonly name: string; readonly version: string };
  /** Changes the results that a client of the legacy era receives, as some hosts do. */
  readonly received?: (result: Record<string, unknown>) => Record<string, unknown>;
}

/** Connects to a server over HTTP. */
export function connectHttp(
  url: string,
  options: ConnectOptions & { readonly token?: string },
): Promise<Peer> {
  const headers: Record<string, string> =
    options.token === undefined ? {} : { Authorization: `Bearer ${options.token}` };
  const init = { requestInit: { headers } };
  return options.era === 'modern'
    ? connectTransport(new ModernHttp(new URL(url), init), options)
    : connectLegacy(new LegacyHttp(new URL(url), init), options);
}

/** Starts a server as a process and connects over stdio, as hosts do. Without `env`, it gets a home of the tests. */
export function connectStdio({ command, args, env }: Command, options: ConnectOptions): Promise<Peer> {
  const parameters = {
    command,
    args: [...args],
    stderr: 'ignore' as const,
    env: { ...(env ?? ownEnvironment()) },
  };
  return options.era === 'modern'
    ? connectTransport(new ModernStdio(parameters), options)
    : connectLegacy(new LegacyStdio(parameters), options);
}

export interface InProcessOptions extends ConnectOptions {
  readonly over: 'stdio' | 'http';
  /** Default `owner`. */
  readonly user?: string;
}

/** All combinations of era and transport. */
export const LEGS = [
  { era: 'legacy', over: 'stdio' },
  { era: 'legacy', over: 'http' },
  { era: 'modern', over: 'stdio' },
  { era: 'modern', over: 'http' },
] as const satisfies readonly InProcessOptions[];

/** Serves a definition in this process, over real HTTP or a pair of streams, and connects to it. */
export async function connectInProcess(
  definition: ServerDefinition,
  options: InProcessOptions,
): Promise<Peer> {
  if (options.era === 'modern') return connect(definition, options);
  const server = await serveInProcess(definition, options);
  const { url, transport } = server;
  // The stream transport has the interface of both SDKs.
  const peer = await connectLegacy(url === undefined ? transport : new LegacyHttp(new URL(url)), options);
  return {
    ...peer,
    async [Symbol.asyncDispose]() {
      await peer[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function connectLegacy(
  transport: LegacyTransport,
  { capabilities = {}, clientInfo = { name: 'testkit', version: '1.0.0' }, received }: ConnectOptions,
): Promise<Peer> {
  const client = new LegacyClient(clientInfo, { capabilities });
  await client.connect(transport);
  if (received !== undefined) {
    const { onmessage } = transport;
    transport.onmessage = (message, extra) =>
      onmessage?.('result' in message ? { ...message, result: received(message.result) } : message, extra);
  }
  // The legacy SDK has equivalent types with other names.
  return {
    era: 'legacy',
    client,
    instructions: client.getInstructions(),
    listTools: async () => (await client.listTools()).tools as readonly Tool[],
    callTool: async (name, args = {}, meta) => {
      const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
      return (await client.callTool(params)) as unknown as CallToolResult;
    },
    getPrompt: (name, args = {}) => client.getPrompt({ name, arguments: args }),
    readResource: (uri) => client.readResource({ uri }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

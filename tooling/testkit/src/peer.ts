import type {
  CallToolResult,
  Client as ModernClient,
  GetPromptResult,
  ReadResourceResult,
  Tool,
} from '@modelcontextprotocol/client';
import type { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import type { Era } from '@deskside/core';

/** A connected client of either era. `client` is the SDK's own, for what this face leaves out. */
export interface Peer extends AsyncDisposable {
  readonly era: Era;
  readonly instructions: string | undefined;
  listTools(): Promise<readonly Tool[]>;
  callTool(name: string, args?: Record<string, unknown>): Promise<CallToolResult>;
  getPrompt(name: string, args?: Record<string, string>): Promise<GetPromptResult>;
  readResource(uri: string): Promise<ReadResourceResult>;
  readonly client: ModernClient | LegacyClient;
}

export function modernPeer(client: ModernClient, close: () => Promise<void>): Peer {
  return {
    era: 'modern',
    client,
    instructions: client.getInstructions(),
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args = {}) => client.callTool({ name, arguments: args }),
    getPrompt: (name, args = {}) => client.getPrompt({ name, arguments: args }),
    readResource: (uri) => client.readResource({ uri }),
    [Symbol.asyncDispose]: close,
  };
}

/** The legacy SDK's types say the same in other words. */
export function legacyPeer(client: LegacyClient, close: () => Promise<void>): Peer {
  return {
    era: 'legacy',
    client,
    instructions: client.getInstructions(),
    listTools: async () => (await client.listTools()).tools as readonly Tool[],
    callTool: async (name, args = {}) =>
      (await client.callTool({ name, arguments: args })) as unknown as CallToolResult,
    getPrompt: (name, args = {}) => client.getPrompt({ name, arguments: args }),
    readResource: (uri) => client.readResource({ uri }),
    [Symbol.asyncDispose]: close,
  };
}

/** The text of an answer's first block: what contracts speak of. */
export function firstText({ content }: CallToolResult): string {
  const [block] = content;
  if (block?.type !== 'text') throw new Error(`the first block is ${block?.type ?? 'missing'}`);
  return block.text;
}

import { defineServer, type ServerDefinition, silentLog } from '@deskside/core';
import { serve } from '@deskside/core/serving';
import { onTestFinished } from 'vitest';

export interface ForeignTool {
  readonly name: string;
  readonly description?: string;
  readonly annotations?: {
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly openWorldHint?: boolean;
  };
  readonly inputSchema: { readonly type: 'object'; readonly properties?: Readonly<Record<string, object>> };
}

export interface ForeignServer {
  readonly url: string;
  /** What it lists from now on. */
  tools: readonly ForeignTool[];
  instructions: string | undefined;
  /** The Authorization header of each request so far. */
  readonly requests: readonly string[];
}

/** A server of other people over HTTP, in this process until the test ends. Each tool answers with its name. */
export async function foreignServer(
  tools: readonly ForeignTool[],
  instructions?: string,
): Promise<ForeignServer> {
  const requests: string[] = [];
  const base = defineServer({ name: 'foreign', version: '1.0.0', title: 'Foreign', deps: null });
  const definition: ServerDefinition = {
    ...base,
    capabilities: { ...base.capabilities, tools: true },
    instructions: () => server.instructions,
    listTools: () => server.tools.map((tool) => structuredClone(tool) as never),
    callTool: async (name) =>
      server.tools.some((tool) => tool.name === name)
        ? { content: [{ type: 'text', text: `${name} of foreign` }] }
        : undefined,
  };
  const serving = await serve(definition, {
    log: silentLog,
    ownsProcess: false,
    http: {
      port: 0,
      async auth(authorization = '') {
        requests.push(authorization);
        return { user: 'desk' };
      },
    },
  });
  onTestFinished(() => serving.close());
  const server: ForeignServer = { url: serving.url ?? '', tools, instructions, requests };
  return server;
}

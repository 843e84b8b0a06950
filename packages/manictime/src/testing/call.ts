import { type ServerDefinition, silentLog } from '@deskside/core';
import { openManicTime } from '../manictime.ts';
import type { ManicTimeOptions } from '../options.ts';
import { manictimeServer } from '../server.ts';

/** An opened server with its tools at hand, without a client between. */
export interface Called extends AsyncDisposable {
  readonly definition: ServerDefinition;
  /** The answer's object. */
  answer(tool: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** The error's object. */
  failure(
    tool: string,
    args?: Record<string, unknown>,
  ): Promise<{ error: string; code: string; hint: string }>;
  /** A resource's JSON. */
  resource(uri: string): Promise<unknown>;
}

export function openCalled(dataDir: string, options: ManicTimeOptions = {}): Called {
  const manictime = openManicTime({ dataDir, ...options });
  const definition = manictimeServer(manictime);
  const ctx = contextOf('stdio/test');
  const textOf = async (tool: string, args: Record<string, unknown>, isError: boolean) => {
    const result = await definition.callTool(tool, args, ctx);
    if (result === undefined || !('content' in result) || !Array.isArray(result.content))
      throw new Error('no content');
    if ((result.isError ?? false) !== isError)
      throw new Error(`unexpected: ${JSON.stringify(result.content)}`);
    const [block] = result.content;
    return JSON.parse(block?.type === 'text' ? block.text : '');
  };
  return {
    definition,
    answer: (tool, args = {}) => textOf(tool, args, false),
    failure: (tool, args = {}) => textOf(tool, args, true),
    async resource(uri) {
      const result = await definition.readResource(uri, ctx);
      const [content] =
        result !== undefined && 'contents' in result && Array.isArray(result.contents) ? result.contents : [];
      return content !== undefined && 'text' in content ? JSON.parse(content.text) : content;
    },
    [Symbol.asyncDispose]: () => manictime[Symbol.asyncDispose](),
  };
}

function contextOf(session: string): Parameters<ServerDefinition['callTool']>[2] {
  return {
    era: 'modern',
    toolName: (name) => name,
    principal: { user: 'owner' },
    transport: 'stdio',
    session,
    client: undefined,
    signal: new AbortController().signal,
    correlationId: 'test',
    log: silentLog,
    input: { capabilities: {}, responses: undefined, state: () => undefined, seal: async () => '' },
    progress: async () => undefined,
    message: async () => undefined,
  };
}

import { isObject } from '@deskside/core/base';
import { blocksOf, identityName, UserError } from '@deskside/core/errors';
import {
  type ChangeFeed,
  type RequestContext,
  type ServerDefinition,
  textBlock,
  type ToolName,
} from '@deskside/core';
import type { Prompt, Result, Tool } from '@modelcontextprotocol/client';
import { kept } from '../mounts/kept.ts';
import type { ForwardedRequest } from './forwarder.ts';
import type { ServerListing } from './listing.ts';
import { parameterHeaders } from './parameter-headers.ts';
import { type Presented, type PresentedListing, withoutView } from './presented.ts';

type CallResult = NonNullable<Awaited<ReturnType<ServerDefinition['callTool']>>>;
type PromptResult = NonNullable<Awaited<ReturnType<ServerDefinition['getPrompt']>>>;
type ReadResult = NonNullable<Awaited<ReturnType<ServerDefinition['readResource']>>>;
type Completion = NonNullable<Awaited<ReturnType<ServerDefinition['complete']>>>;

const PRIVATE = { cacheScope: 'private' } as const;

/** What the definition of an external server needs of it. */
export interface ExternalBackend {
  /** What may be used now. */
  readonly listing: ServerListing | undefined;
  readonly presented: PresentedListing;
  readonly changes: ChangeFeed;
  /** Sends a request of a caller to the server that is for it. */
  forward(request: ForwardedRequest, ctx: RequestContext): Promise<Result>;
  watchResource(uri: string): () => void;
}

/** A server of another process as a definition. Its lists come from the listing; everything else is asked. */
export function externalDefinition(id: string, server: ExternalBackend): ServerDefinition {
  const toolsOf = listed<Tool>(({ tools }) => tools, withoutView);
  const promptsOf = listed<Prompt>(({ prompts }) => prompts);
  const forward = async <T>(request: ForwardedRequest, ctx: RequestContext) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result was checked for its method
    (await server.forward(request, ctx)) as T;
  return {
    get identity() {
      return server.presented.identity ?? { name: id, version: '' };
    },
    get capabilities() {
      const { tools, prompts, resources, completions, logging } = server.listing?.capabilities ?? {};
      return {
        tools: tools !== undefined,
        prompts: prompts !== undefined,
        resources: resources !== undefined,
        completions: completions !== undefined,
        logging: logging === undefined ? [] : (['legacy', 'modern'] as const),
      };
    },
    changes: server.changes,
    // Tokens can have profiles, and the listing can change when its acceptance does.
    caching: { tools: PRIVATE, prompts: PRIVATE, resources: PRIVATE, templates: PRIVATE },
    instructions: () => server.presented.instructions,
    listTools: ({ toolName }) => toolsOf(server.presented, toolName),
    listPrompts: ({ toolName }) => promptsOf(server.presented, toolName),
    listResources: () => server.presented.resources,
    listResourceTemplates: () => server.presented.templates,
    resourceUris: () => server.presented.resources.map(({ uri }) => uri),

    async callTool(name, args, ctx) {
      const tool = server.presented.tools.get(name);
      if (tool === undefined) return undefined;
      try {
        const { name: original, inputSchema, outputSchema } = tool.original;
        const params = { name: original, ...(args === undefined ? {} : { arguments: args }) };
        const headers = parameterHeaders(inputSchema, args);
        const isListed = () => server.presented.tools.get(name)?.original.name === original;
        const result = await forward<CallResult>({ method: 'tools/call', params, headers, isListed }, ctx);
        return withText(ctx.era === 'legacy' ? withObject(result, outputSchema) : result);
      } catch (error) {
        if (!UserError.is(error)) throw error;
        return { content: blocksOf(error.failure, ctx.toolName).map(textBlock), isError: true };
      }
    },

    async getPrompt(name, args, ctx) {
      const prompt = server.presented.prompts.get(name);
      if (prompt === undefined) return undefined;
      const params = { name: prompt.original.name, ...(args === undefined ? {} : { arguments: args }) };
      const isListed = () => server.presented.prompts.get(name)?.original.name === prompt.original.name;
      return forward<PromptResult>({ method: 'prompts/get', params, isListed }, ctx);
    },

    readResource: (uri, ctx) => forward<ReadResult>({ method: 'resources/read', params: { uri } }, ctx),

    async complete(params, ctx) {
      const { ref } = params;
      const original =
        ref.type === 'ref/prompt' ? server.presented.prompts.get(ref.name)?.original : undefined;
      if (ref.type === 'ref/prompt' && original === undefined) return undefined;
      const own = original === undefined ? params : { ...params, ref: { ...ref, name: original.name } };
      return forward<Completion>({ method: 'completion/complete', params: { ...own } }, ctx);
    },

    watchResource: (uri) => server.watchResource(uri),
  };
}

/**
 * The legacy era knows only objects as structured content. The SDK lists an output schema of another type as an object
 * with the member `result`, so the content must have that form.
 */
function withObject(result: CallResult, outputSchema: Tool['outputSchema']): CallResult {
  const { structuredContent: value } = result;
  if (value === undefined) return result;
  const isPlainObject = isObject(value) && !JSON.isRawJSON(value);
  if (isPlainObject && (outputSchema === undefined || outputSchema['type'] === 'object')) return result;
  return { ...withText(result), structuredContent: { result: value } };
}

/** Many clients show only the text of a result. */
function withText(result: CallResult): CallResult {
  const { structuredContent: value, content } = result;
  if (value === undefined || (Array.isArray(content) && content.length > 0)) return result;
  return { ...result, content: [{ type: 'text', text: JSON.stringify(value) }] };
}

/** A list by the names that callers use. */
function listed<Entry extends { name: string }>(
  entriesOf: (listing: PresentedListing) => ReadonlyMap<string, Presented<Entry>>,
  onSharedEndpoint: (entry: Entry) => Entry = (entry) => entry,
) {
  return kept((listing: PresentedListing, toolName: ToolName): readonly Entry[] => {
    // A mount that is served alone is asked for its own names.
    const isAlone = toolName === identityName;
    return [...entriesOf(listing).values()]
      .map(({ name, shown }) =>
        Object.assign({}, isAlone ? shown : onSharedEndpoint(shown), { name: toolName(name) }),
      )
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  });
}

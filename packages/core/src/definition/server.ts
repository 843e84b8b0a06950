import type {
  CallToolResult,
  CompleteRequestParams,
  CompleteResult,
  GetPromptResult,
  Implementation,
  InputRequiredResult,
  Prompt as PromptListing,
  ReadResourceResult,
  ResourceTemplateType,
  Tool as ToolListing,
} from '@modelcontextprotocol/server';
import type { ChangeFeed } from './change-feed.ts';
import type { Awaitable, Era, RequestContext, ToolName, View } from './context.ts';
import type { ResourceListing } from './resource.ts';

type Answered<Result> = Promise<Result | undefined>;

export interface Abilities {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  readonly completions: boolean;
  /** The eras in which MCP log messages are sent; deprecated by the protocol, for servers whose subject they are. */
  readonly logging: readonly Era[];
}

/**
 * One MCP server as a set of answers: no transport, no handshake, no I/O of its own. What serves it, mounts
 * it beside others or forwards to it needs nothing else.
 */
export interface ServerDefinition {
  readonly identity: Implementation;
  readonly abilities: Abilities;
  /** Where there is one, list changes and resource subscriptions are offered. */
  readonly changes?: ChangeFeed;
  instructions(toolName: ToolName): string | undefined;
  listTools(view: View): Awaitable<readonly ToolListing[]>;
  listPrompts(view: View): Awaitable<readonly PromptListing[]>;
  listResources(ctx: RequestContext): Awaitable<readonly ResourceListing[]>;
  listResourceTemplates(view: View): Awaitable<readonly ResourceTemplateType[]>;
  /** Each of these answers undefined for a name or address that is not there. */
  callTool(name: string, args: unknown, ctx: RequestContext): Answered<CallToolResult | InputRequiredResult>;
  getPrompt(
    name: string,
    args: unknown,
    ctx: RequestContext,
  ): Answered<GetPromptResult | InputRequiredResult>;
  readResource(uri: string, ctx: RequestContext): Answered<ReadResourceResult | InputRequiredResult>;
  complete(params: CompleteRequestParams, ctx: RequestContext): Answered<CompleteResult>;
}

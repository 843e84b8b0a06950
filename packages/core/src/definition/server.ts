import type {
  CacheHint,
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
import { getOrAdd } from '../base/values.ts';
import { messageOf, type Text, textOf, type ToolName } from '../errors/index.ts';
import { cachedListings, catalogOf, type Offer } from './catalog.ts';
import type { Change, ChangeFeed } from './changes.ts';
import { checkCompleters, checkName, checkUri, indexBy } from './checks.ts';
import {
  type Awaitable,
  type Completer,
  type Era,
  isInputRequired,
  type Principal,
  type RequestContext,
  type View,
} from './context.ts';
import type { Prompt } from './prompt.ts';
import { type Resource, type ResourceListing, resourceResult, type ResourceTemplate } from './resource.ts';
import type { Tool } from './tool.ts';
import { type UriMatcher, uriMatcher } from './uri-template.ts';

/** What a server offers. Core derives the protocol's capabilities of each era from it. */
export interface Capabilities {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  readonly completions: boolean;
  /** The eras in which the server sends MCP log messages. The protocol deprecates them. */
  readonly logging: readonly Era[];
}

/**
 * How long clients of the modern era may cache answers, and whether different callers may share them. A field that is
 * left out means: 60 s for lists and 0 for reads, for the same caller only.
 */
export interface Caching {
  readonly tools?: CacheHint;
  readonly prompts?: CacheHint;
  readonly resources?: CacheHint;
  readonly templates?: CacheHint;
  readonly reads?: CacheHint;
}

/** Undefined means: the server has no such tool, prompt, resource or completion. */
type Answer<Result> = Promise<Result | undefined>;

/**
 * One MCP server as a set of answers, without transport, handshake and I/O. It is all that a transport, a mount or
 * a proxy needs.
 */
export interface ServerDefinition {
  readonly identity: Implementation;
  readonly capabilities: Capabilities;
  /** If set, the server offers list changes and resource subscriptions. */
  readonly changes?: ChangeFeed;
  readonly caching?: Caching;
  /** @param principal the caller, if known */
  instructions(toolName: ToolName, principal?: Principal): string | undefined;
  /** Over HTTP, the path of this server does not exist for a caller for whom this is false. Default: true. */
  isFor?(principal: Principal): boolean;
  /** Whether a caller is told of a change. Default: true. */
  tells?(change: Change, principal: Principal): boolean;
  /** The lists are complete and their order is stable. They depend on the view only. */
  listTools(view: View): Awaitable<readonly ToolListing[]>;
  listPrompts(view: View): Awaitable<readonly PromptListing[]>;
  listResources(ctx: RequestContext): Awaitable<readonly ResourceListing[]>;
  listResourceTemplates(view: View): Awaitable<readonly ResourceTemplateType[]>;
  /**
   * The URIs of all resources with a fixed URI, also of those that are not listed. Without I/O: a mount finds the owner of
   * a URI with it, before anything is read.
   */
  resourceUris(view: View): Awaitable<readonly string[]>;
  /**
   * A client subscribes to a resource. The returned function is called once, when it unsubscribes or disconnects. For a
   * server that watches a resource only as long as a client wants to know.
   */
  watchResource?(uri: string, view: View): () => void;
  /** What an access token must allow before the tool is called over HTTP. Without this method: nothing. */
  toolScopes?(name: string, principal: Principal): Awaitable<readonly string[]>;
  /** @param args numbers that JavaScript cannot hold are objects of `JSON.rawJSON`; tools of `toolDefiner` get them rounded */
  callTool(name: string, args: unknown, ctx: RequestContext): Answer<CallToolResult | InputRequiredResult>;
  getPrompt(name: string, args: unknown, ctx: RequestContext): Answer<GetPromptResult | InputRequiredResult>;
  readResource(uri: string, ctx: RequestContext): Answer<ReadResourceResult | InputRequiredResult>;
  complete(params: CompleteRequestParams, ctx: RequestContext): Answer<CompleteResult>;
}

export interface ServerSpec<Deps> extends Implementation {
  /** One paragraph for the model: how the tools work together. */
  readonly instructions?: Text;
  /** What tools, prompts and resources use. The caller opens and closes it. */
  readonly deps: Deps;
  /** An array, or a function of the principal: then publish a change when its answer changes. */
  readonly tools?: Offer<NoInfer<Deps>, Tool<NoInfer<Deps>>>;
  readonly prompts?: Offer<NoInfer<Deps>, Prompt<NoInfer<Deps>>>;
  readonly resources?: Offer<NoInfer<Deps>, Resource<NoInfer<Deps>>>;
  readonly templates?: Offer<NoInfer<Deps>, ResourceTemplate<NoInfer<Deps>>>;
  readonly changes?: ChangeFeed;
  /** Cache hints. Default: lists 60 s, shared among callers unless they depend on the principal; reads not at all. */
  readonly caching?: { readonly lists?: CacheHint; readonly reads?: CacheHint };
  /** The eras in which tools send log messages with `ctx.message`; true means both. Default: none. */
  readonly logging?: boolean | readonly Era[];
}

/**
 * Combines tools, prompts and resources into one server.
 *
 * @throws Error for duplicate or invalid names and URIs
 */
export function defineServer<Deps>(spec: ServerSpec<Deps>): ServerDefinition {
  const {
    instructions,
    deps,
    tools = [],
    prompts = [],
    resources = [],
    templates = [],
    changes,
    caching,
    logging = false,
    ...identity
  } = spec;
  const toolsFor = catalogOf(tools, deps, (all) => indexNamed('Tool', all));
  const promptsFor = catalogOf(prompts, deps, (all) => indexNamed('Prompt', all));
  const resourcesFor = catalogOf(resources, deps, indexResources);
  const templatesFor = catalogOf(templates, deps, indexTemplates);
  const listTools = cachedListings((tool: Tool<Deps>, view) => tool.list(view));
  const listPrompts = cachedListings(promptListing<Deps>);

  return {
    identity,
    capabilities: {
      tools: isOffered(tools),
      prompts: isOffered(prompts),
      resources: isOffered(resources) || isOffered(templates),
      completions: canComplete(prompts) || canComplete(templates),
      logging: logging === true ? ['legacy', 'modern'] : logging || [],
    },
    ...(changes === undefined ? {} : { changes }),
    caching: {
      tools: { cacheScope: scopeOf(tools), ...caching?.lists },
      prompts: { cacheScope: scopeOf(prompts), ...caching?.lists },
      // The lists of templates receive the whole request.
      resources: {
        cacheScope: isOffered(templates) ? 'private' : scopeOf(resources),
        ...caching?.lists,
      },
      templates: { cacheScope: scopeOf(templates), ...caching?.lists },
      reads: { ...caching?.reads },
    },
    instructions: (toolName) => (instructions === undefined ? undefined : textOf(instructions, toolName)),

    async listTools(view) {
      return listTools(await toolsFor(view.principal), view);
    },

    async listPrompts(view) {
      return listPrompts(await promptsFor(view.principal), view);
    },

    async listResources(ctx) {
      const { items: fixed } = await resourcesFor(ctx.principal);
      const { items: all } = await templatesFor(ctx.principal);
      const lists = await Promise.all(all.map(async (template) => (await template.list?.(deps, ctx)) ?? []));
      const shown = fixed.filter(({ listed }) => listed !== false);
      return [...shown.map(({ read: _, listed: __, ...listing }) => listing), ...lists.flat()];
    },

    async listResourceTemplates({ principal }) {
      const { items } = await templatesFor(principal);
      return items.map(({ read: _, list: __, complete: ___, ...listing }) => listing);
    },

    async resourceUris({ principal }) {
      const { items } = await resourcesFor(principal);
      return items.map(({ uri }) => uri);
    },

    async toolScopes(name, principal) {
      const { index } = await toolsFor(principal);
      return index.get(name)?.scopes ?? [];
    },

    async callTool(name, args, ctx) {
      const { index } = await toolsFor(ctx.principal);
      return index.get(name)?.call(args, deps, ctx);
    },

    async getPrompt(name, args, ctx) {
      const { index } = await promptsFor(ctx.principal);
      const prompt = index.get(name);
      if (prompt === undefined) return undefined;
      const messages = await prompt.run(args, deps, ctx);
      if (isInputRequired(messages)) return messages;
      return { description: textOf(prompt.description, ctx.toolName), messages: [...messages] };
    },

    async readResource(uri, ctx) {
      const { index } = await resourcesFor(ctx.principal);
      const resource = index.get(uri);
      if (resource !== undefined) return resourceResult(uri, resource, await resource.read(deps, ctx));
      const { items } = await templatesFor(ctx.principal);
      for (const template of items) {
        const variables = matcherOf(template).match(uri);
        const body = variables === undefined ? undefined : await template.read(variables, deps, ctx, uri);
        if (body !== undefined) return resourceResult(uri, template, body);
      }
      return undefined;
    },

    async complete({ ref, argument, context }, ctx) {
      const owner =
        ref.type === 'ref/prompt'
          ? (await promptsFor(ctx.principal)).index.get(ref.name)
          : (await templatesFor(ctx.principal)).index.get(ref.uri);
      if (owner === undefined) return undefined;
      const completers = new Map<string, Completer<Deps> | undefined>(Object.entries(owner.complete ?? {}));
      const completer = completers.get(argument.name);
      const values = await completer?.(argument.value, context?.arguments ?? {}, deps, ctx);
      return completionResult(values ?? []);
    },
  };
}

function indexNamed<Item extends { readonly name: string }>(kind: 'Tool' | 'Prompt', items: readonly Item[]) {
  for (const { name } of items) checkName(kind, name);
  return indexBy(`${kind.toLowerCase()}s have the name`, items, ({ name }) => name);
}

function indexResources<Deps>(resources: readonly Resource<Deps>[]): ReadonlyMap<string, Resource<Deps>> {
  for (const { uri, name } of resources) {
    checkUri(uri);
    if (name === '') throw new Error(`Resource ${uri} has no name.`);
  }
  return indexBy('resources have the URI', resources, ({ uri }) => uri);
}

function indexTemplates<Deps>(
  templates: readonly ResourceTemplate<Deps>[],
): ReadonlyMap<string, ResourceTemplate<Deps>> {
  for (const template of templates) {
    const { uriTemplate, name, complete } = template;
    if (name === '') throw new Error(`Resource template ${uriTemplate} has no name.`);
    checkCompleters(`Resource template ${uriTemplate}`, complete, matcherOf(template).variableNames);
  }
  return indexBy('resource templates have the URI', templates, ({ uriTemplate }) => uriTemplate);
}

const matchers = new WeakMap<object, UriMatcher>();

/** @throws Error for an invalid template */
function matcherOf(template: { readonly uriTemplate: string }): UriMatcher {
  const { uriTemplate } = template;
  try {
    return getOrAdd(matchers, template, () => uriMatcher(uriTemplate));
  } catch (error) {
    const message = `Resource template ${JSON.stringify(uriTemplate)} has an invalid URI. ${messageOf(error)}.`;
    throw new Error(message, { cause: error });
  }
}

/** What a function offers can change, so the server declares the capability from the start. */
function isOffered(offer: Offer<never, unknown>): boolean {
  return typeof offer === 'function' || offer.length > 0;
}

function canComplete(
  offer: Offer<never, { readonly complete?: Readonly<Record<string, unknown>> }>,
): boolean {
  if (typeof offer === 'function') return true;
  return offer.some(({ complete = {} }) => Object.keys(complete).length > 0);
}

function scopeOf(offer: Offer<never, unknown>): 'public' | 'private' {
  return typeof offer === 'function' ? 'private' : 'public';
}

function promptListing<Deps>(prompt: Prompt<Deps>, { toolName }: View): PromptListing {
  const { name, title, description, icons, meta } = prompt;
  return {
    name: toolName(name),
    title,
    description: textOf(description, toolName),
    arguments: prompt.arguments.map((argument) => ({ ...argument })),
    ...(icons === undefined ? {} : { icons: [...icons] }),
    ...(meta === undefined ? {} : { _meta: { ...meta } }),
  };
}

/** The protocol's limit for one answer. */
const MAX_COMPLETION_VALUES = 100;

function completionResult(values: readonly string[]): CompleteResult {
  return {
    completion: {
      values: values.slice(0, MAX_COMPLETION_VALUES),
      total: values.length,
      hasMore: values.length > MAX_COMPLETION_VALUES,
    },
  };
}

import { type Implementation, type Prompt as PromptListing, UriTemplate } from '@modelcontextprotocol/server';
import type { ChangeFeed } from './change-feed.ts';
import { type Completer, completion } from './completion.ts';
import { type Era, type Text, textOf, type View } from './context.ts';
import { isInputRequired } from './input-required.ts';
import type { Prompt } from './prompt.ts';
import { type Resource, resourceResult, type ResourceTemplate } from './resource.ts';
import type { ServerDefinition } from './server.ts';
import type { Tool } from './tool.ts';

export interface ServerSpec<Deps> extends Implementation {
  /** How the tools work together, for the model; a paragraph. */
  readonly instructions?: Text;
  /** What the tools use, opened once and outside. */
  readonly deps: Deps;
  readonly tools?: readonly Tool<Deps>[];
  readonly prompts?: readonly Prompt<Deps>[];
  readonly resources?: readonly Resource<Deps>[];
  readonly templates?: readonly ResourceTemplate<Deps>[];
  readonly changes?: ChangeFeed;
  /** The eras in which the tools send log messages (`ctx.message`), or true for both. Default none. */
  readonly logging?: boolean | readonly Era[];
}

const ERAS = ['legacy', 'modern'] as const satisfies readonly Era[];

/** Puts tools, prompts and resources together; the dispatch tables are built here, once. */
export function defineServer<Deps>(spec: ServerSpec<Deps>): ServerDefinition {
  const {
    instructions,
    deps,
    tools = [],
    prompts = [],
    resources = [],
    templates = [],
    changes,
    logging = false,
    ...identity
  } = spec;
  const toolsByName = byName('tool', tools);
  const promptsByName = byName('prompt', prompts);
  const resourcesByUri = new Map(resources.map((resource) => [resource.uri, resource]));
  const matchers = templates.map((template) => ({
    template,
    matcher: new UriTemplate(template.uriTemplate),
  }));
  const completers = [...prompts, ...templates].some(({ complete = {} }) => Object.keys(complete).length > 0);

  const toolListings = listingsOf(tools, (tool, view) => tool.list(view));
  const promptListings = listingsOf(prompts, promptListing);

  return {
    identity,
    abilities: {
      tools: tools.length > 0,
      prompts: prompts.length > 0,
      resources: resources.length > 0 || templates.length > 0,
      completions: completers,
      logging: typeof logging === 'boolean' ? (logging ? ERAS : []) : logging,
    },
    ...(changes === undefined ? {} : { changes }),
    instructions: (toolName) => (instructions === undefined ? undefined : textOf(instructions, toolName)),
    listTools: toolListings,
    listPrompts: promptListings,

    async listResources(ctx) {
      const fixed = resources
        .filter(({ listed }) => listed !== false)
        .map(({ read: _, listed: __, ...listing }) => listing);
      const found = await Promise.all(templates.map(async (template) => template.list?.(deps, ctx) ?? []));
      return [...fixed, ...found.flat()];
    },

    listResourceTemplates: () => templates.map(({ read: _, list: __, complete: ___, ...listing }) => listing),

    async callTool(name, args, ctx) {
      return toolsByName.get(name)?.call(args, deps, ctx);
    },

    async getPrompt(name, args, ctx) {
      const prompt = promptsByName.get(name);
      if (prompt === undefined) return undefined;
      const messages = await prompt.run(args, deps, ctx);
      if (isInputRequired(messages)) return messages;
      return { description: textOf(prompt.description, ctx.toolName), messages: [...messages] };
    },

    async readResource(uri, ctx) {
      const resource = resourcesByUri.get(uri);
      if (resource !== undefined)
        return resourceResult(uri, resource.mimeType, await resource.read(deps, ctx));
      for (const { template, matcher } of matchers) {
        const variables = matcher.match(uri);
        const body = variables === null ? undefined : await template.read(variables, deps, ctx, uri);
        if (body !== undefined) return resourceResult(uri, template.mimeType, body);
      }
      return undefined;
    },

    async complete({ ref, argument, context }, ctx) {
      const owner =
        ref.type === 'ref/prompt'
          ? promptsByName.get(ref.name)
          : templates.find(({ uriTemplate }) => uriTemplate === ref.uri);
      if (owner === undefined) return undefined;
      const completer: Completer<Deps> | undefined = owner.complete?.[argument.name];
      return completion((await completer?.(argument.value, context?.arguments ?? {}, deps, ctx)) ?? []);
    },
  };
}

/** Kept for each naming and era: a listing costs more than most answers. */
function listingsOf<Item, Listing extends { name: string }>(
  items: readonly Item[],
  list: (item: Item, view: View) => Listing,
): (view: View) => readonly Listing[] {
  const kept = {
    legacy: new WeakMap<object, readonly Listing[]>(),
    modern: new WeakMap<object, readonly Listing[]>(),
  };
  return (view) => {
    const known = kept[view.era].get(view.toolName);
    if (known !== undefined) return known;
    const listings = items.map((item) => list(item, view)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    kept[view.era].set(view.toolName, listings);
    return listings;
  };
}

function promptListing(prompt: Prompt<never>, { toolName }: View): PromptListing {
  return {
    name: toolName(prompt.name),
    title: prompt.title,
    description: textOf(prompt.description, toolName),
    arguments: prompt.arguments.map((argument) => ({ ...argument })),
  };
}

function byName<Item extends { readonly name: string }>(
  kind: string,
  items: readonly Item[],
): Map<string, Item> {
  const map = new Map<string, Item>();
  for (const item of items) {
    if (map.has(item.name)) throw new Error(`Two ${kind}s are named "${item.name}"; rename one.`);
    map.set(item.name, item);
  }
  return map;
}

import type { Abilities, Awaitable, RequestContext, ServerDefinition, ToolName } from '@deskside/core';
import manifest from '../package.json' with { type: 'json' };
import { combinedChanges } from './mounts/combined-changes.ts';
import { directoryOf } from './mounts/directory.ts';
import { checkMountId, type Mount } from './mounts/mount.ts';
import { type Naming, namingOf } from './mounts/naming.ts';

export interface Aggregator {
  readonly mounts: readonly Mount[];
  /** Everything as one server. */
  readonly definition: ServerDefinition;
  /** `/mcp` with everything, and `/mcp/<mount>` with each under its bare names. */
  readonly routes: ReadonlyMap<string, ServerDefinition>;
}

export interface AggregatorOptions {
  readonly mounts: readonly Mount[];
}

/**
 * Mounts servers beside each other by registration: calls go straight to them, without a hop.
 *
 * @throws Error for ids that can't be and names that two mounts have
 */
export async function createAggregator({ mounts }: AggregatorOptions): Promise<Aggregator> {
  for (const [index, { id }] of mounts.entries()) {
    checkMountId(id);
    if (mounts.findIndex((mount) => mount.id === id) !== index)
      throw new Error(`Two mounts are called "${id}".`);
  }
  const definition = await combine(mounts);
  const own = mounts.map((mount) => [`/mcp/${mount.id}`, mount.definition] as const);
  return { mounts, definition, routes: new Map([['/mcp', definition], ...own]) };
}

async function combine(mounts: readonly Mount[]): Promise<ServerDefinition> {
  const directory = await directoryOf(mounts);
  const changes = combinedChanges(mounts);
  const namings = new Map(mounts.map((mount) => [mount, namingOf(mount)]));
  const namedWithin = (mount: Mount, outer: ToolName) => namings.get(mount)?.(outer) ?? outer;
  const within = (mount: Mount, ctx: RequestContext): RequestContext => ({
    ...ctx,
    toolName: namedWithin(mount, ctx.toolName),
  });

  return {
    identity: { name: 'deskside', title: 'Deskside', version: manifest.version },
    abilities: combinedAbilities(mounts),
    ...(changes === undefined ? {} : { changes }),
    instructions: (toolName) => combinedInstructions(namings, toolName),

    listTools: async ({ era, toolName }) => {
      const tools = await fromAll(mounts, (mount) =>
        mount.definition.listTools({ era, toolName: namedWithin(mount, toolName) }),
      );
      return tools.toSorted(byName);
    },

    listPrompts: async ({ era, toolName }) => {
      const prompts = await fromAll(mounts, (mount) =>
        mount.definition.listPrompts({ era, toolName: namedWithin(mount, toolName) }),
      );
      return prompts.toSorted(byName);
    },

    listResources: (ctx) => fromAll(mounts, (mount) => mount.definition.listResources(within(mount, ctx))),
    listResourceTemplates: (view) => fromAll(mounts, (mount) => mount.definition.listResourceTemplates(view)),

    async callTool(name, args, ctx) {
      const entry = directory.tools.get(name);
      return entry?.mount.definition.callTool(entry.name, args, within(entry.mount, ctx));
    },

    async getPrompt(name, args, ctx) {
      const entry = directory.prompts.get(name);
      return entry?.mount.definition.getPrompt(entry.name, args, within(entry.mount, ctx));
    },

    readResource: (uri, ctx) =>
      firstAnswer(mounts, (mount) => mount.definition.readResource(uri, within(mount, ctx))),

    async complete(params, ctx) {
      const { ref } = params;
      if (ref.type === 'ref/resource') {
        return firstAnswer(mounts, (mount) => mount.definition.complete(params, within(mount, ctx)));
      }
      const entry = directory.prompts.get(ref.name);
      const own = { ...params, ref: { ...ref, name: entry?.name ?? ref.name } };
      return entry?.mount.definition.complete(own, within(entry.mount, ctx));
    },
  };
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

async function fromAll<T>(
  mounts: readonly Mount[],
  ask: (mount: Mount) => Awaitable<readonly T[]>,
): Promise<readonly T[]> {
  const answers = await Promise.all(mounts.map(async (mount) => ask(mount)));
  return answers.flat();
}

/** Addresses stay as they are, so each mount is asked whether it knows one. */
async function firstAnswer<T>(
  mounts: readonly Mount[],
  ask: (mount: Mount) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const mount of mounts) {
    const answer = await ask(mount);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

function combinedAbilities(mounts: readonly Mount[]): Abilities {
  const all = mounts.map(({ definition }) => definition.abilities);
  const any = (ability: Exclude<keyof Abilities, 'logging'>) => all.some((abilities) => abilities[ability]);
  return {
    tools: any('tools'),
    prompts: any('prompts'),
    resources: any('resources'),
    completions: any('completions'),
    logging: [...new Set(all.flatMap(({ logging }) => logging))],
  };
}

function combinedInstructions(namings: ReadonlyMap<Mount, Naming>, toolName: ToolName): string | undefined {
  const parts = [...namings].flatMap(([{ id, definition }, naming]) => {
    const text = definition.instructions(naming(toolName));
    return text === undefined ? [] : [`${definition.identity.title ?? id}: ${text}`];
  });
  return parts.length === 0 ? undefined : parts.join('\n\n');
}

import {
  type Capabilities,
  allResources,
  type Awaitable,
  type ChangeFeed,
  changeFeed,
  type RequestContext,
  type ServerDefinition,
  type ToolName,
} from '@deskside/core';
import manifest from '../package.json' with { type: 'json' };
import { buildDirectory } from './mounts/directory.ts';
import { type Mount, type Naming, namingOf } from './mounts/mount.ts';

/**
 * One definition that serves all mounts. Calls go directly to the mount's own definition.
 *
 * @throws Error for a name that two mounts have or that hosts reject
 */
export async function aggregatorServer(mounts: readonly Mount[], user: string): Promise<ServerDefinition> {
  const directory = await buildDirectory(mounts, user);
  const changes = combinedChanges(mounts);
  const namings = new Map(mounts.map((mount) => [mount, namingOf(mount)]));
  const namesIn = (mount: Mount, outer: ToolName) => namings.get(mount)?.(outer) ?? outer;
  const contextFor = (mount: Mount, ctx: RequestContext): RequestContext => ({
    ...ctx,
    toolName: namesIn(mount, ctx.toolName),
  });

  return {
    identity: { name: 'deskside', title: 'Deskside', version: manifest.version },
    capabilities: combinedCapabilities(mounts),
    ...(changes === undefined ? {} : { changes }),
    instructions: (toolName) => combinedInstructions(namings, toolName),

    listTools: async (view) => {
      const tools = await fromAll(mounts, (mount) =>
        mount.definition.listTools({ ...view, toolName: namesIn(mount, view.toolName) }),
      );
      return tools.toSorted(byName);
    },

    listPrompts: async (view) => {
      const prompts = await fromAll(mounts, (mount) =>
        mount.definition.listPrompts({ ...view, toolName: namesIn(mount, view.toolName) }),
      );
      return prompts.toSorted(byName);
    },

    listResources: (ctx) =>
      fromAll(mounts, (mount) => allResources(mount.definition, contextFor(mount, ctx))),
    listResourceTemplates: (view) => fromAll(mounts, (mount) => mount.definition.listResourceTemplates(view)),

    async callTool(name, args, ctx) {
      const entry = directory.tools.get(name);
      return entry?.mount.definition.callTool(entry.name, args, contextFor(entry.mount, ctx));
    },

    async getPrompt(name, args, ctx) {
      const entry = directory.prompts.get(name);
      return entry?.mount.definition.getPrompt(entry.name, args, contextFor(entry.mount, ctx));
    },

    readResource: (uri, ctx) =>
      firstAnswer(mounts, (mount) => mount.definition.readResource(uri, contextFor(mount, ctx))),

    async complete(params, ctx) {
      const { ref } = params;
      if (ref.type === 'ref/resource') {
        return firstAnswer(mounts, (mount) => mount.definition.complete(params, contextFor(mount, ctx)));
      }
      const entry = directory.prompts.get(ref.name);
      const own = { ...params, ref: { ...ref, name: entry?.name ?? ref.name } };
      return entry?.mount.definition.complete(own, contextFor(entry.mount, ctx));
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

/** URIs have no prefix, so the mounts are asked in order until one answers. */
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

/** The changes of all mounts as one feed; undefined if no mount publishes changes. */
function combinedChanges(mounts: readonly Mount[]): ChangeFeed | undefined {
  const feeds = mounts.flatMap(({ definition }) => definition.changes ?? []);
  if (feeds.length === 0) return undefined;
  const combined = changeFeed();
  for (const feed of feeds) feed.subscribe((change) => combined.publish(change));
  return combined;
}

function combinedCapabilities(mounts: readonly Mount[]): Capabilities {
  const all = mounts.map(({ definition }) => definition.capabilities);
  const any = (capability: Exclude<keyof Capabilities, 'logging'>) =>
    all.some((capabilities) => capabilities[capability]);
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

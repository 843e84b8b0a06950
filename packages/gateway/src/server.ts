import type {
  Caching,
  Capabilities,
  Change,
  OwnChangeFeed,
  RequestContext,
  ServerDefinition,
  View,
} from '@deskside/core';
import { withPlainNumbers } from '@deskside/core/base';
import type { Journal } from '@deskside/desktop';
import manifest from '../package.json' with { type: 'json' };
import type { CallGuard, GuardedCall } from './approvals/approvals.ts';
import { noteCaller, recordedCall } from './journal/calls.ts';
import { contextAlone, contextOf } from './directory/contexts.ts';
import type { Mounted, Names, Owner } from './directory/names.ts';
import type { Resources } from './directory/resources.ts';
import type { CombinedInstructions } from './instructions.ts';
import { kept } from './mounts/kept.ts';
import { degradedMount, inMount, mountedName, nameInside, type Mount, releaseOf } from './mounts/mount.ts';
import { type ApprovalLevel, everything, type Select, type Selection } from './profiles/profile.ts';
import { SEARCH_TOOLS } from './search/tools.ts';
import { type ToolListing, Toolset } from './search/toolset.ts';

type PromptListing = Awaited<ReturnType<ServerDefinition['listPrompts']>>[number];
type ReadResult = Awaited<ReturnType<ServerDefinition['readResource']>>;

/** What all mounts offer now. */
export interface Directory {
  readonly mounts: readonly Mount[];
  readonly tools: Names<ToolListing>;
  readonly prompts: Names<PromptListing>;
  readonly resources: Resources;
  readonly instructions: CombinedInstructions;
  /** Undefined: calls are not recorded. */
  readonly journal: Journal | undefined;
  /** Undefined: every call runs. */
  readonly approvals: CallGuard | undefined;
}

/** What a server of the aggregator serves now. Another configuration replaces it while clients are connected. */
export interface Served {
  readonly directory: Directory;
  readonly select: Select;
  /** Of the profile whose address the server has. */
  readonly level?: ApprovalLevel | undefined;
}

/** What all servers of an aggregator report. */
export interface Reports {
  readonly changes: OwnChangeFeed;
  /** The mount that a change comes from; undefined for a change of all. */
  readonly originOf: (change: Change) => Mount | undefined;
}

/** One definition that serves all mounts. Calls go directly to the mount's own definition. */
export function aggregatorServer(served: () => Served, { changes, originOf }: Reports): ServerDefinition {
  const toolsOf = kept(
    (entries: readonly Mounted<ToolListing>[], selection: Selection) =>
      new Toolset(selected(entries, selection), selection),
  );
  const promptsOf = kept((entries: readonly Mounted<PromptListing>[], selection: Selection) =>
    selected(entries, selection).map(({ listing }) => listing),
  );
  const select: Select = (principal) => served().select(principal);
  const now = () => served().directory;
  const toolset = async (view: View) => toolsOf(await now().tools.entries(view), select(view.principal));

  /** Whether a client searches for the tools of external servers. Their lists are at hand: no mount is asked. */
  async function isSearched(view: View): Promise<boolean> {
    const mounts = now().mounts.filter(({ isForeign }) => isForeign === true);
    const lists = mounts.map(async (mount) => {
      const inside = { ...view, toolName: nameInside(mount, view.toolName) };
      return entriesOf(mount, await mount.definition.listTools(inside));
    });
    const foreign = foreignToolsOf(select(view.principal), ...(await Promise.all(lists)));
    return foreign.isSearched(view.caller?.known);
  }

  async function ownerIn(
    names: Pick<Names<never>, 'owner'>,
    name: string,
    view: View,
  ): Promise<Owner | undefined> {
    const owner = await names.owner(name, view);
    return owner !== undefined && select(view.principal).hasName(owner.mount, name) ? owner : undefined;
  }

  const visible = (view: View) => {
    const selection = select(view.principal);
    return <T extends { readonly mount: Mount }>(all: readonly T[]) =>
      all.filter(({ mount }) => selection.hasMount(mount));
  };

  const ownerOf = async (uri: string, view: View | RequestContext): Promise<Mount | undefined> => {
    const mount = await now().resources.owner(uri, view);
    return mount !== undefined && select(view.principal).hasMount(mount) ? mount : undefined;
  };

  /** Every call of a tool, also one by `call_tool`. */
  async function callListed(name: string, args: unknown, ctx: RequestContext) {
    const { directory, level: route } = served();
    const owner = await ownerIn(directory.tools, name, ctx);
    if (owner === undefined) return undefined;
    const { mount } = owner;
    const offers = async (tool: string) => (await toolset(ctx)).all.some((listing) => listing.name === tool);
    const own = { ...contextOf(mount, ctx), offers };
    const isFound = mount.approvals !== undefined && (await isSearched(ctx));
    return calledTool({ mount, tool: owner.name, args, ctx: own, route, isSearched: isFound }, directory);
  }

  return {
    identity: { name: 'deskside', title: 'Deskside', version: manifest.version },
    // An external server can offer more after it was accepted again.
    get capabilities() {
      return combinedCapabilities(now().mounts);
    },
    changes,
    caching: CACHING,
    instructions: (toolName, principal) =>
      now().instructions(toolName, principal === undefined ? everything : select(principal)),
    tells(change, principal) {
      const mount = originOf(change);
      if (mount === undefined) return true;
      return select(principal).hasMount(mount) && mount.definition.tells?.(change, principal) !== false;
    },

    async listTools(view) {
      const own = await toolset(view);
      if (!(await isSearched(view))) return own.all;
      return own.searched(() => [...SEARCH_TOOLS.values()].map((tool) => tool.list(view)));
    },

    listPrompts: async (view) => promptsOf(await now().prompts.entries(view), select(view.principal)),

    async listResources(ctx) {
      return visible(ctx)(await now().resources.list(ctx)).map(({ listing }) => listing);
    },

    async listResourceTemplates(view) {
      return visible(view)(await now().resources.templates(view)).map(({ listing }) => listing);
    },

    async resourceUris(view) {
      const lists = await Promise.all(
        now().mounts.map(async ({ definition }) => definition.resourceUris(view)),
      );
      return lists.flat();
    },

    watchResource: (uri, view) =>
      releaseOf(ownerOf(uri, view).then((mount) => mount?.definition.watchResource?.(uri, view))),

    async callTool(name, args, ctx) {
      noteCaller(ctx.caller);
      const searchTool = SEARCH_TOOLS.get(name);
      if (searchTool !== undefined) {
        const own = await toolset(ctx);
        // A client may still have the list of a moment ago, with more tools.
        const isOwn = (await isSearched(ctx)) || !own.all.some((listing) => listing.name === name);
        if (isOwn && own.servers.size > 0)
          return searchTool.call(args, { toolset: own, run: callListed }, ctx);
      }
      return callListed(name, args, ctx);
    },

    async getPrompt(name, args, ctx) {
      const owner = await ownerIn(now().prompts, name, ctx);
      if (owner === undefined) return undefined;
      const { mount } = owner;
      return inMount(mount, () => mount.definition.getPrompt(owner.name, args, contextOf(mount, ctx)));
    },

    async readResource(uri, ctx) {
      const mount = await ownerOf(uri, ctx);
      if (mount === undefined) return undefined;
      const own = contextOf(mount, ctx);
      const result = await inMount(mount, () => mount.definition.readResource(uri, own));
      return result && withHint(result, mount, ctx);
    },

    async complete(params, ctx) {
      const { ref } = params;
      const { prompts, resources } = now();
      if (ref.type === 'ref/resource') {
        const mount = await resources.templateOwner(ref.uri, ctx);
        if (mount === undefined || !select(ctx.principal).hasMount(mount)) return undefined;
        return inMount(mount, () => mount.definition.complete(params, contextOf(mount, ctx)));
      }
      const owner = await ownerIn(prompts, ref.name, ctx);
      if (owner === undefined) return undefined;
      const { mount, name } = owner;
      const own = { ...params, ref: { ...ref, name } };
      return inMount(mount, () => mount.definition.complete(own, contextOf(mount, ctx)));
    },
  };
}

/** One mount with its bare names, for the callers that may use it. */
export function mountServer(
  id: string,
  served: () => Served,
  { changes, originOf }: Reports,
): ServerDefinition {
  const found = () => served().directory.mounts.find((mount) => mount.id === id);
  const degraded = degradedMount(id, 'It was removed.');
  const { identity, capabilities } = found()?.definition ?? degraded.definition;
  // Its clients know what it had.
  const removed = { ...degraded, definition: { ...degraded.definition, identity, capabilities } };
  const mountNow = () => found() ?? removed;
  const now = () => mountNow().definition;
  const selection = (view: View) => served().select(view.principal);
  const has = (view: View) => selection(view).hasMount(mountNow());
  const allows = (view: View, name: string) => {
    const mount = mountNow();
    return selection(view).hasName(mount, mountedName(mount)(name));
  };
  const run = <T>(ctx: RequestContext, work: (own: RequestContext, definition: ServerDefinition) => T): T => {
    const mount = mountNow();
    return inMount(mount, () => work(contextAlone(mount, ctx), mount.definition));
  };
  const listed = <T extends { readonly name: string }>(view: View, all: readonly T[]) =>
    selection(view) === everything ? all : all.filter(({ name }) => allows(view, name));
  return {
    changes,
    get identity() {
      return now().identity;
    },
    get capabilities() {
      return now().capabilities;
    },
    get caching() {
      return now().caching ?? {};
    },
    instructions: (toolName) => now().instructions(toolName),
    isFor: (principal) => served().select(principal).hasMount(mountNow()),
    tells(change, principal) {
      const mount = mountNow();
      const origin = originOf(change) ?? mount;
      if (origin !== mount || !served().select(principal).hasMount(mount)) return false;
      return now().tells?.(change, principal) !== false;
    },
    toolScopes: (name, principal) => now().toolScopes?.(name, principal) ?? [],
    resourceUris: (view) => now().resourceUris(view),
    watchResource: (uri, view) =>
      (has(view) ? now().watchResource?.(uri, view) : undefined) ?? (() => undefined),
    listTools: async (view) => listed(view, await now().listTools(view)),
    listPrompts: async (view) => listed(view, await now().listPrompts(view)),
    listResources: async (ctx) => (has(ctx) ? now().listResources(ctx) : []),
    listResourceTemplates: async (view) => (has(view) ? now().listResourceTemplates(view) : []),
    async callTool(tool, args, ctx) {
      if (!allows(ctx, tool)) return undefined;
      const { directory } = served();
      const mount = mountNow();
      return calledTool({ mount, tool, args, ctx: contextAlone(mount, ctx) }, directory);
    },
    getPrompt: async (name, args, ctx) =>
      allows(ctx, name) ? run(ctx, (own, definition) => definition.getPrompt(name, args, own)) : undefined,
    readResource: async (uri, ctx) =>
      has(ctx) ? run(ctx, (own, definition) => definition.readResource(uri, own)) : undefined,
    async complete(params, ctx) {
      const { ref } = params;
      if (ref.type === 'ref/prompt' ? !allows(ctx, ref.name) : !has(ctx)) return undefined;
      return run(ctx, (own, definition) => definition.complete(params, own));
    },
  };
}

/** The one place where a tool of a mount is called. The journal has the call while it waits for the person, too. */
function calledTool(
  given: GuardedCall,
  { journal, approvals }: Directory,
): ReturnType<ServerDefinition['callTool']> {
  const { mount, tool } = given;
  // The person decides on what the tool gets.
  const args = mount.isForeign === true ? given.args : withPlainNumbers(given.args);
  const call = { ...given, args };
  const run = (ctx: RequestContext) => inMount(mount, () => mount.definition.callTool(tool, args, ctx));
  return recordedCall(mount, tool, call.ctx, journal, () =>
    approvals === undefined ? run(call.ctx) : approvals.call(call, run),
  );
}

function selected<Listing extends { readonly name: string }>(
  entries: readonly Mounted<Listing>[],
  selection: Selection,
) {
  return entries.filter(({ mount, listing }) => selection.hasName(mount, listing.name));
}

const entriesOf = kept((mount: Mount, list: readonly ToolListing[]) =>
  list.map((listing) => ({ mount, listing })),
);
const foreignToolsOf = kept(
  (selection: Selection, ...lists: readonly (readonly Mounted<ToolListing>[])[]) =>
    new Toolset(selected(lists.flat(), selection), selection),
);

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

/** Profiles make a list depend on the caller's token. */
const OWN_LIST = { ttlMs: 60_000, cacheScope: 'private' } as const;
const CACHING: Caching = { tools: OWN_LIST, prompts: OWN_LIST, resources: OWN_LIST, templates: OWN_LIST };

/** The owner's hint for reads, which the SDK would add for a standalone server. The legacy era has no hints. */
function withHint(result: NonNullable<ReadResult>, { definition }: Mount, { era }: View): ReadResult {
  return era === 'modern' && 'contents' in result ? { ...definition.caching?.reads, ...result } : result;
}

import {
  type Change,
  changeFeed,
  type Log,
  type OwnChangeFeed,
  type ServerDefinition,
  silentLog,
} from '@deskside/core';
import { DEFAULT_USER } from '@deskside/core/base';
import { identityName } from '@deskside/core/errors';
import type { Journal } from '@deskside/desktop';
import type { CallGuard } from './approvals/approvals.ts';
import { MountHealth, type ListQuestion } from './directory/health.ts';
import { type Mounted, Names } from './directory/names.ts';
import { Resources } from './directory/resources.ts';
import { instructionsOf } from './instructions.ts';
import { checkMountIds, type Mount, type MountState } from './mounts/mount.ts';
import { type StartTimer, systemTimer } from './mounts/timer.ts';
import { nothing, type Profile, selectBy, within } from './profiles/profile.ts';
import { aggregatorServer, type Directory, mountServer, type Served } from './server.ts';

export interface AggregatorOptions {
  readonly mounts: readonly Mount[];
  /** The user at the desk. Default `owner`. */
  readonly user?: string;
  /** Selections by name, for `/mcp/p/<name>` and for tokens. Default: none. */
  readonly profiles?: ReadonlyMap<string, Profile>;
  /** Records each tool call. Default: calls are not recorded. */
  readonly journal?: Journal;
  /** Decides on calls of mounts that have `approvals`. Default: every call runs. */
  readonly approvals?: CallGuard;
  /** Reports mounts that fail. Default: none. */
  readonly log?: Log;
  /** Limits how long a list waits for a mount. Default: a timer of this process. */
  readonly startTimer?: StartTimer;
}

/** Disposed of, it no longer passes on changes of its mounts, which stay open. */
export interface Aggregator extends Disposable {
  readonly mounts: readonly Mount[];
  /** All mounts as one server. */
  readonly definition: ServerDefinition;
  /**
   * `/mcp` for all mounts, `/mcp/<mount>` for one mount with its bare names, and `/mcp/p/<profile>` for a selection.
   */
  readonly routes: ReadonlyMap<string, ServerDefinition>;
  /** What each mount offers now, and what is wrong with it. */
  mountStates(): Promise<readonly MountState[]>;
}

/** An aggregator whose mounts and profiles change while clients are connected. */
export interface LiveAggregator {
  readonly aggregator: Aggregator;
  /**
   * Replaces the mounts and profiles for all clients, and notifies each client that its lists have changed.
   *
   * @throws StartError as `createAggregator`; then nothing has changed
   */
  use(next: AggregatorOptions): Promise<void>;
}

/**
 * Combines servers into one, in this process: a call goes directly to the mount's own definition. A mount that fails or
 * hangs is left out of the lists and reported, and so is a name or URI that an earlier mount has; the others answer.
 *
 * @throws StartError for an invalid or duplicate mount id
 */
export async function createAggregator(options: AggregatorOptions): Promise<Aggregator> {
  return (await openAggregator(options)).aggregator;
}

/** @throws StartError as `createAggregator` */
export async function openAggregator(first: AggregatorOptions): Promise<LiveAggregator> {
  const changes = changeFeed();
  const origins = new WeakMap<Change, Mount>();
  const reports = { changes, originOf: (change: Change) => origins.get(change) };
  let current = built(first, changes);
  const definition = aggregatorServer(() => current.all, reports);
  const routes = new Map<string, ServerDefinition>();
  const inProfile = (name: string) => current.profiles.get(name) ?? { ...current.all, select: () => nothing };
  let stop: () => void = begin();

  /** Serves what is current. @returns a function that ends it */
  function begin(): () => void {
    const { mounts, profiles } = current;
    const servers = new Map<string, () => ServerDefinition>([
      ['/mcp', () => definition],
      ...mounts.map(({ id }) => [`/mcp/${id}`, () => mountServer(id, () => current.all, reports)] as const),
      ...[...profiles.keys()].map(
        (name) => [`/mcp/p/${name}`, () => aggregatorServer(() => inProfile(name), reports)] as const,
      ),
    ]);
    for (const path of routes.keys()) if (!servers.has(path)) routes.delete(path);
    // Clients have the server of a path that stays.
    for (const [path, server] of servers) if (!routes.has(path)) routes.set(path, server());
    const stops = mounts.map((mount) =>
      mount.definition.changes?.subscribe((change) => {
        const own = { ...change };
        origins.set(own, mount);
        changes.publish(own);
      }),
    );
    return () => {
      for (const each of stops) each?.();
    };
  }

  return {
    aggregator: {
      get mounts() {
        return current.mounts;
      },
      definition,
      routes,
      mountStates: () => current.states(),
      [Symbol.dispose]: () => stop(),
    },
    async use(next) {
      const following = built(next, changes);
      stop();
      current = following;
      stop = begin();
      for (const list of ['tools', 'prompts', 'resources'] as const) changes.changed(list);
    },
  };
}

/** What an aggregator serves at one time. */
interface Built {
  readonly mounts: readonly Mount[];
  readonly all: Served;
  /** By the names of the profiles. */
  readonly profiles: ReadonlyMap<string, Served>;
  states(): Promise<readonly MountState[]>;
}

function built(options: AggregatorOptions, changes: OwnChangeFeed): Built {
  const { mounts, user = DEFAULT_USER, profiles = new Map<string, Profile>(), log = silentLog } = options;
  const { startTimer = systemTimer, journal, approvals } = options;
  checkMountIds(mounts);
  // A mount that was left out of a list is in it again.
  const recovered = (question: ListQuestion) =>
    changes.changed(question === 'tools' || question === 'prompts' ? question : 'resources');
  const healths = mounts.map((mount) => new MountHealth(mount, log, recovered));
  const directory: Directory = {
    mounts,
    tools: new Names('tool', healths, startTimer, ({ definition }, view) => definition.listTools(view)),
    prompts: new Names('prompt', healths, startTimer, ({ definition }, view) => definition.listPrompts(view)),
    resources: new Resources(healths, startTimer),
    instructions: instructionsOf(mounts),
    journal,
    approvals,
  };
  const view = { era: 'modern', toolName: identityName, principal: { user } } as const;
  for (const mount of mounts) {
    const { state, reason } = mount.status?.() ?? { state: 'ready' };
    if (state === 'degraded') log.error('mount degraded', { mount: mount.id, problem: reason });
  }
  const select = selectBy(profiles, user);
  return {
    mounts,
    all: { directory, select },
    profiles: new Map(
      [...profiles].map(([name, profile]) => [
        name,
        { directory, select: within(profile, select), level: profile.approvals },
      ]),
    ),
    async states() {
      const entries = await directory.tools.entries(view);
      return healths.map((health) => stateOf(health, entries));
    },
  };
}

function stateOf(health: MountHealth, tools: readonly Mounted<unknown>[]): MountState {
  const { id, definition } = health.mount;
  return {
    id,
    title: definition.identity.title ?? definition.identity.name,
    ...health.status(),
    tools: tools.filter(({ mount }) => mount === health.mount).length,
  };
}

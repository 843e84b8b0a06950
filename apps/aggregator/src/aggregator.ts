import {
  type Change,
  changeFeed,
  DEFAULT_USER,
  identityName,
  type Log,
  type OwnChangeFeed,
  type ServerDefinition,
  silentLog,
  type View,
} from '@deskside/core';
import type { Journal } from '@deskside/core/base';
import type { CallGuard } from './approvals/approvals.ts';
import { MountContexts } from './directory/contexts.ts';
import { MountHealth, type Question } from './directory/health.ts';
import { type Entry, Names } from './directory/names.ts';
import { Resources } from './directory/resources.ts';
import { type HttpClient, HttpClients } from './journal/calls.ts';
import { checkMountIds, type Mount, type MountState } from './mounts/mount.ts';
import { type StartTimer, systemTimer } from './mounts/timer.ts';
import { type Profile, selectBy, within } from './profiles/profile.ts';
import { aggregatorServer, type Directory, singleServer } from './server.ts';

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
  /** The clients that call tools over HTTP; none without a journal. */
  httpClients(): readonly HttpClient[];
}

/**
 * Combines servers into one, in this process: a call goes directly to the mount's own definition. A mount that fails or
 * hangs later is left out of the lists and reported; the others answer.
 *
 * @throws StartError for an invalid or duplicate mount id, and for a name or URI that two mounts have
 */
export async function createAggregator(options: AggregatorOptions): Promise<Aggregator> {
  const { mounts, user = DEFAULT_USER, profiles = new Map<string, Profile>(), log = silentLog } = options;
  checkMountIds(mounts);
  const changes = changeFeed();
  const healths = mounts.map(
    (mount) => new MountHealth(mount, log, (question) => announce(changes, question)),
  );
  const httpClients = new HttpClients();
  const calls = options.journal && { journal: options.journal, httpClients };
  const origins = new WeakMap<Change, Mount>();
  const { approvals } = options;
  const directory: Directory = { ...directoryOf(healths, options), changes, origins, calls, approvals };
  const view = { era: 'modern', toolName: identityName, principal: { user } } as const;
  await checkAtStart(directory, view);
  for (const mount of mounts) {
    const { state, reason } = mount.status?.() ?? { state: 'ready' };
    if (state === 'degraded') log.error('mount degraded', { mount: mount.id, problem: reason });
  }
  const stops = mounts.map((mount) =>
    mount.definition.changes?.subscribe((change) => {
      const own = { ...change };
      origins.set(own, mount);
      changes.publish(own);
    }),
  );
  const select = selectBy(profiles, user);
  const definition = aggregatorServer(directory, select);
  return {
    mounts,
    definition,
    routes: new Map([
      ['/mcp', definition],
      ...mounts.map((mount) => [`/mcp/${mount.id}`, singleServer(mount, directory, select)] as const),
      ...[...profiles].map(
        ([name, profile]) =>
          [
            `/mcp/p/${name}`,
            aggregatorServer(directory, within(profile, select), profile.approvals),
          ] as const,
      ),
    ]),
    async mountStates() {
      const entries = await directory.tools.entries(view);
      return healths.map((health) => stateOf(health, entries));
    },
    httpClients: () => httpClients.list(),
    [Symbol.dispose]() {
      for (const stop of stops) stop?.();
    },
  };
}

function stateOf(health: MountHealth, tools: readonly Entry<unknown>[]): MountState {
  const { id, definition } = health.mount;
  return {
    id,
    title: definition.identity.title ?? definition.identity.name,
    ...health.status(),
    tools: tools.filter(({ mount }) => mount === health.mount).length,
  };
}

function directoryOf(
  healths: readonly MountHealth[],
  { startTimer = systemTimer }: AggregatorOptions,
): Omit<Directory, 'changes' | 'origins' | 'calls' | 'approvals'> {
  const mounts = healths.map(({ mount }) => mount);
  return {
    mounts,
    tools: new Names('tool', healths, startTimer, ({ definition }, view) => definition.listTools(view)),
    prompts: new Names('prompt', healths, startTimer, ({ definition }, view) => definition.listPrompts(view)),
    resources: new Resources(healths, startTimer),
    contexts: new MountContexts(mounts),
  };
}

async function checkAtStart({ tools, prompts, resources }: Directory, view: View): Promise<void> {
  await Promise.all([tools.check(view), prompts.check(view), resources.check(view)]);
}

/** A mount that was left out of a list is in it again. */
function announce(changes: OwnChangeFeed, question: Question): void {
  if (question === 'tools' || question === 'prompts') changes.changed(question);
  else changes.changed('resources');
}

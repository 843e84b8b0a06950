import { type Log, StartError } from '@deskside/core';
import { noJournal } from '@deskside/core/base';
import { openUserJournal } from '@deskside/core/cli';
import { deleteEarlierCalls } from './journal/earlier-calls.ts';
import { type Aggregator, createAggregator } from './aggregator.ts';
import { type LoadedConfig, loadConfig } from './config/load.ts';
import type { ExternalMounts } from './acceptance/open.ts';
import type { OpenedExternal } from './external/open.ts';
import { BUILT_IN_IDS, openBuiltIn, type OpenMounts } from './mounts/built-in.ts';
import { type LoadedModule, loadModule } from './mounts/modules.ts';
import type { MountState } from './mounts/mount.ts';
import { builtListings } from './mounts/prepared.ts';

/** What decides which mounts a desk has. */
export interface DeskSettings {
  /** Path of deskside.toml. Default: in the user's configuration folder. */
  readonly config?: string | undefined;
  /** Ids of the mounts to open; empty for all. */
  readonly mounts: readonly string[];
  readonly noMounts: readonly string[];
}

export interface DeskContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

/** Everything that `deskside` serves, opened. */
export interface Desk extends AsyncDisposable {
  readonly aggregator: Aggregator;
  /** The user at the desk: the principal on stdio and of the owner's tokens. */
  readonly user: string;
  /** Lines about deskside.toml for the person who starts the program. */
  readonly configNotes: readonly string[];
  /** `configNotes`, and one line per mount that is not ready: the problem and its remedy. */
  notes(): Promise<readonly string[]>;
}

/** @throws StartError for a mount that does not exist, and for mounts that cannot work together */
export async function openDesk(settings: DeskSettings, { env, log }: DeskContext): Promise<Desk> {
  const loaded = await loadConfig(settings.config);
  const configNotes = loaded?.notes ?? [];
  const { modules: ownModules = {}, external: otherServers = {} } = loaded?.config ?? {};
  const isSelected = selectionFrom(settings, [...Object.keys(ownModules), ...Object.keys(otherServers)]);
  const journal = openUserJournal(log);
  // A user without a home folder has neither.
  if (journal !== noJournal) await deleteEarlierCalls(new Date());
  const opened = await openBuiltIn(env, {
    journal,
    log,
    listings: builtListings(),
    ...(settings.mounts.length === 0 ? {} : { mounts: BUILT_IN_IDS.filter(isSelected) }),
    noMounts: BUILT_IN_IDS.filter((id) => !isSelected(id)),
    settings: loaded?.config.settings ?? {},
  });
  const modules = await openModules(loaded, isSelected);
  const external = await openExternals(loaded, { env, log, opened, isSelected });
  const close = async () => {
    await closeAll(opened, [...modules, ...external]);
    await journal[Symbol.asyncDispose]();
  };
  try {
    const aggregator = await createAggregator({
      mounts: [...opened.mounts, ...[...modules, ...external].map(({ mount }) => mount)],
      user: opened.user,
      profiles: loaded?.config.profiles ?? new Map(),
      log,
      journal,
    });
    return {
      aggregator,
      user: opened.user,
      configNotes,
      notes: async () => [...configNotes, ...(await aggregator.mountStates()).flatMap(noteOf)],
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function openModules(
  loaded: LoadedConfig | undefined,
  isSelected: (id: string) => boolean,
): Promise<readonly LoadedModule[]> {
  const modules = Object.entries(loaded?.config.modules ?? {}).filter(([id]) => isSelected(id));
  return Promise.all(modules.map(([id, module]) => loadModule(id, module, loaded?.places.folder ?? '.')));
}

async function openExternals(
  loaded: LoadedConfig | undefined,
  context: Pick<ExternalMounts, 'env' | 'log' | 'isSelected'> & { readonly opened: OpenMounts },
): Promise<readonly OpenedExternal[]> {
  if (loaded === undefined || Object.keys(loaded.config.external).length === 0) return [];
  const { opened, ...others } = context;
  const { mounts, user } = opened;
  // The SDK's client is loaded only for a desk that has other servers.
  const { openAccepted } = await import('./acceptance/open.ts');
  return openAccepted(loaded, { ...others, user, logMount: mounts.find(({ id }) => id === 'log') });
}

/** @throws StartError for an id that does not exist */
function selectionFrom({ mounts, noMounts }: DeskSettings, moduleIds: readonly string[]) {
  const known = [...BUILT_IN_IDS, ...moduleIds];
  const unknown = [...mounts, ...noMounts].find((id) => !known.includes(id));
  if (unknown !== undefined) {
    throw new StartError(`Unknown mount "${unknown}". Mounts: ${known.join(', ')}.`);
  }
  return (id: string) => (mounts.length === 0 || mounts.includes(id)) && !noMounts.includes(id);
}

async function closeAll(
  opened: OpenMounts,
  others: readonly (LoadedModule | OpenedExternal)[],
): Promise<void> {
  await Promise.all([opened[Symbol.asyncDispose](), ...others.map(({ close }) => close())]);
}

function noteOf({ id, state, reason }: MountState): readonly string[] {
  return reason === undefined ? [] : [`Mount ${id} is ${state}: ${reason}`];
}

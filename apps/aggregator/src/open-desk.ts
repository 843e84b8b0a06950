import { join } from 'node:path';
import type { Log } from '@deskside/core';
import { folders } from '@deskside/core/program';
import { openUserJournal } from '@deskside/desktop';
import { watchFile } from '@deskside/gateway/config';
import { messageOf, unlessStartFails } from '@deskside/core/errors';
import {
  type AggregatorOptions,
  Approvals,
  type Levels,
  openAggregator,
  RuleStore,
  leaveNote,
  systemCall,
  type LoadedModule,
  loadModule,
  type MountState,
  builtListings,
} from '@deskside/gateway';
import type { OpenedExternal } from '@deskside/gateway/servers';
import { type LoadedConfig, loadConfig, placesIfAny } from './config/load.ts';
import { BUILT_IN_IDS, checkIds, openBuiltIn, type OpenMounts, withDemo } from './mounts/built-in.ts';
import { DeskPage, LateInbox } from '@deskside/page';
import { deskPhone } from './phone/desk-phone.ts';

/** What decides which mounts a desk has. */
export interface DeskSettings {
  /** Path of deskside.toml. Default: in the user's configuration folder. */
  readonly config?: string | undefined;
  /** Ids of the mounts to open. Default, and empty: all. */
  readonly mounts?: readonly string[];
  readonly noMounts?: readonly string[];
  /** Mounts manictime with demo data, whatever deskside.toml says. */
  readonly demo?: boolean;
}

export interface DeskContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** PATH of an attached client: searched for programs of other servers after that of the desk. */
  readonly clientPath?: () => string | undefined;
}

/** Everything that `deskside` serves, opened. */
export type Desk = Awaited<ReturnType<typeof openDesk>>;

/** @throws StartError for a mount that does not exist, and for mounts that cannot work together */
export async function openDesk(settings: DeskSettings, given: DeskContext) {
  const { log } = given;
  const env = withDemo(given.env, settings.demo);
  const loaded = await loadConfig(settings.config);
  const configNotes = loaded?.notes ?? [];
  const { modules: ownModules = {}, external: otherServers = {} } = loaded?.config ?? {};
  const isSelected = selectionFrom(settings, [...Object.keys(ownModules), ...Object.keys(otherServers)]);
  const journal = openUserJournal(log);
  const inbox = new LateInbox();
  const phone = deskPhone({ inbox, journal, env, log });
  const opened = await openBuiltIn(env, {
    journal,
    log,
    onPopup: (popup) => inbox.set(popup),
    listings: builtListings(),
    ...(settings.mounts?.length ? { mounts: BUILT_IN_IDS.filter(isSelected) } : {}),
    noMounts: BUILT_IN_IDS.filter((id) => !isSelected(id)),
    settings: loaded?.config.settings ?? {},
  });
  const approvals = new Approvals({
    person: () => opened.popup(),
    // A user without a home folder remembers nothing.
    rules: unlessStartFails(ruleStore, (error) => ({
      find: () => undefined,
      async add() {
        throw error;
      },
    })),
    levels: levelsOf(loaded),
  });
  const modules = await openModules(loaded, isSelected);
  let externals: Externals = new Map();
  const context = { ...given, env, opened };
  let stopWatching: (() => void) | undefined;
  let reloaded = Promise.resolve();
  const others = (servers: Externals) => [
    ...modules,
    ...[...servers.values()].map(({ external }) => external),
  ];
  const close = async () => {
    stopWatching?.();
    await reloaded;
    await Promise.all([opened[Symbol.asyncDispose](), ...others(externals).map((each) => each.close())]);
    await phone.close();
    await journal[Symbol.asyncDispose]();
  };
  const combined = (servers: Externals, config: LoadedConfig | undefined): AggregatorOptions => ({
    mounts: [...opened.mounts, ...others(servers).map(({ mount }) => mount)],
    user: opened.user,
    profiles: config?.config.profiles ?? new Map(),
    approvals,
    log,
    journal,
  });

  try {
    externals = await openExternals(loaded, externals, isSelected, context);
    const live = await openAggregator(combined(externals, loaded));
    await phone.use(loaded);
    const { aggregator } = live;
    const page = new DeskPage({
      inbox,
      async call(id, tool, args) {
        const mount = aggregator.mounts.find((each) => each.id === id);
        return mount && systemCall(mount, tool, args, opened.user, log);
      },
      leaveNote,
      open: openForPerson,
      env,
      journal,
      log,
    });

    /** Own servers and modules stay as they are until the next start. */
    async function reload(): Promise<void> {
      try {
        const config = await loadConfig(settings.config);
        const following = await openExternals(config, externals, isSelected, context);
        await live.use(combined(following, config)).catch(async (error: unknown) => {
          await closeOthers(following, externals);
          throw error;
        });
        approvals.levels = levelsOf(config);
        const former = externals;
        externals = following;
        await phone.use(config);
        await closeOthers(former, following);
        log.info('configuration loaded', { servers: following.size });
      } catch (error) {
        log.error('the new configuration cannot be used; the desk goes on with the one before', { error });
      }
    }
    const places = placesIfAny(settings.config);
    // `add`, `remove` and `apply` change it.
    stopWatching =
      places &&
      watchFile(
        places.accepted,
        () => {
          reloaded = reloaded.then(reload);
        },
        (error) =>
          log.warn('a new configuration is noticed at the next start only', { error: messageOf(error) }),
      );
    // What was accepted while the desk opened.
    const present = await loadConfig(settings.config).catch(() => loaded);
    if (present?.accepted !== loaded?.accepted) reloaded = reloaded.then(reload);
    return {
      aggregator,
      /** The user at the desk: the principal on stdio and of the owner's tokens. */
      user: opened.user,
      /** Lines about deskside.toml for the person who starts the program. */
      configNotes,
      /** The page at `/`, from the first `deskside open` on. */
      page,
      /** `configNotes`, and one line per mount that is not ready: the problem and its remedy. */
      notes: async () => [...configNotes, ...(await aggregator.mountStates()).flatMap(noteOf)],
      async [Symbol.asyncDispose]() {
        await page[Symbol.asyncDispose]();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The remembered decisions. @throws StartError without a home folder */
export function ruleStore(): RuleStore {
  return new RuleStore(join(folders().data, 'approvals.json'));
}

function levelsOf(loaded: LoadedConfig | undefined): Levels {
  const { approvals: desk, profiles = new Map(), clients = new Map() } = loaded?.config ?? {};
  return { desk, profiles, clients };
}

/** External servers by id, each with its text in the configuration. */
type Externals = Map<string, { readonly text: string; readonly external: OpenedExternal }>;

/** The external servers that a configuration has. One that it leaves unchanged goes on. */
async function openExternals(
  loaded: LoadedConfig | undefined,
  before: Externals,
  isSelected: (id: string) => boolean,
  { opened, ...context }: DeskContext & { readonly opened: OpenMounts },
): Promise<Externals> {
  const next: Externals = new Map();
  const servers = Object.entries(loaded?.config.external ?? {}).filter(([id]) => isSelected(id));
  if (loaded === undefined || servers.length === 0) return next;
  // The SDK's client is loaded only for a desk that has other servers.
  const { openAccepted } = await import('@deskside/gateway/servers');
  const { mounts, user, popup: person } = opened;
  const logMount = mounts.find(({ id }) => id === 'log');
  const open = openAccepted(loaded.places, {
    ...context,
    logMount,
    user,
    person,
    openBrowser: openForPerson,
  });
  try {
    for (const [id, server] of servers) {
      const text = JSON.stringify(server);
      const known = before.get(id);
      next.set(id, known?.text === text ? known : { text, external: await open(id, server) });
    }
  } catch (error) {
    await closeOthers(next, before);
    throw error;
  }
  return next;
}

async function closeOthers(all: Externals, kept: Externals): Promise<void> {
  const others = [...all].filter(([id, { external }]) => kept.get(id)?.external !== external);
  await Promise.all(others.map(([, { external }]) => external.close()));
}

function openModules(
  loaded: LoadedConfig | undefined,
  isSelected: (id: string) => boolean,
): Promise<readonly LoadedModule[]> {
  const modules = Object.entries(loaded?.config.modules ?? {}).filter(([id]) => isSelected(id));
  return Promise.all(modules.map(([id, module]) => loadModule(id, module, loaded?.places.folder ?? '.')));
}

/** @throws StartError for an id that does not exist */
function selectionFrom({ mounts = [], noMounts = [] }: DeskSettings, moduleIds: readonly string[]) {
  const known = [...BUILT_IN_IDS, ...moduleIds];
  checkIds([...mounts, ...noMounts], known);
  // A later configuration may have further ids.
  return (id: string) => (mounts.length === 0 || mounts.includes(id)) && !noMounts.includes(id);
}

function noteOf({ id, state, reason }: MountState): readonly string[] {
  return reason === undefined ? [] : [`Mount ${id} is ${state}: ${reason}`];
}

/** On the display of the person's login session. @returns false if no browser opens there */
async function openForPerson(address: string): Promise<boolean> {
  const popup = await import('@deskside/notify-popup');
  return popup.openForPerson(address);
}

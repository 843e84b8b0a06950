import { type Log, StartError } from '@deskside/core';
import { noJournal } from '@deskside/core/base';
import { journalFolder, openUserJournal } from '@deskside/core/cli';
import { messageOf } from '@deskside/core/errors';
import { approvalsOf, levelsOf, sayEarlier } from './approvals/of-desk.ts';
import { deleteEarlierCalls } from './journal/earlier-calls.ts';
import { type Aggregator, type AggregatorOptions, openAggregator } from './aggregator.ts';
import { type LoadedConfig, loadConfig, placesIfAny } from './config/load.ts';
import { watchFile } from './files/update.ts';
import type { ExternalMounts } from './acceptance/open.ts';
import type { OpenedExternal } from './external/open.ts';
import { BUILT_IN_IDS, openBuiltIn, type OpenMounts } from './mounts/built-in.ts';
import { DeskPage } from './page/desk-page.ts';
import { LateInbox } from './page/late-inbox.ts';
import { readNotifications } from './page/notifications.ts';
import { DeskPhone } from './phone/of-desk.ts';
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
  /** The page at `/`, from the first `deskside open` on. */
  readonly page: DeskPage;
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
  const inbox = new LateInbox();
  const phone = new DeskPhone({ inbox, env, log });
  const opened = await openBuiltIn(env, {
    journal,
    log,
    onPopup: (popup) => inbox.set(popup),
    listings: builtListings(),
    ...(settings.mounts.length === 0 ? {} : { mounts: BUILT_IN_IDS.filter(isSelected) }),
    noMounts: BUILT_IN_IDS.filter((id) => !isSelected(id)),
    settings: loaded?.config.settings ?? {},
  });
  const approvals = approvalsOf({ opened, loaded, log });
  const modules = await openModules(loaded, isSelected);
  const externals = new Externals((id) => isSelected(id), { env, log, opened });
  let stopWatching: (() => void) | undefined;
  let reloaded = Promise.resolve();
  const close = async () => {
    stopWatching?.();
    await reloaded;
    await closeAll(opened, [...modules, ...externals.opened]);
    await phone[Symbol.asyncDispose]();
    await journal[Symbol.asyncDispose]();
  };
  const combined = (
    others: readonly OpenedExternal[],
    config: LoadedConfig | undefined,
  ): AggregatorOptions => ({
    mounts: [...opened.mounts, ...[...modules, ...others].map(({ mount }) => mount)],
    user: opened.user,
    profiles: config?.config.profiles ?? new Map(),
    approvals,
    log,
    journal,
  });

  try {
    const first = await externals.of(loaded);
    const live = await openAggregator(combined(first.opened, loaded));
    await first.use();
    await phone.use(loaded);
    const { aggregator } = live;
    if (journal !== noJournal) void sayEarlier({ opened, loaded, log });
    const page = new DeskPage({
      inbox,
      mounts: () => aggregator.mounts,
      user: opened.user,
      env,
      journalFolder: journal === noJournal ? undefined : journalFolder(),
      journal,
      notifications: (count) =>
        readNotifications(count, { env, settings: loaded?.config.settings['log'] ?? {} }),
      log,
    });

    /** Own servers and modules stay as they are until the next start. */
    async function reload(): Promise<void> {
      try {
        const config = await loadConfig(settings.config);
        const next = await externals.of(config);
        try {
          await live.use(combined(next.opened, config));
          approvals.levels = levelsOf(config);
          await phone.use(config);
        } catch (error) {
          await next.cancel();
          throw error;
        }
        await next.use();
        log.info('configuration loaded', { servers: next.opened.length });
      } catch (error) {
        log.error('the new configuration cannot be used; the desk goes on with the one before', { error });
      }
    }
    stopWatching = watchAccepted(settings.config, log, () => {
      reloaded = reloaded.then(reload);
    });
    // What was accepted while the desk opened.
    const present = await loadConfig(settings.config).catch(() => loaded);
    if (present?.accepted !== loaded?.accepted) reloaded = reloaded.then(reload);
    return {
      aggregator,
      user: opened.user,
      configNotes,
      page,
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

/** Follows `add`, `remove` and `apply`. */
function watchAccepted(given: string | undefined, log: Log, onChange: () => void): (() => void) | undefined {
  const places = placesIfAny(given);
  return (
    places &&
    watchFile(places.accepted, onChange, (error) =>
      log.warn('a new configuration is noticed at the next start only', { error: messageOf(error) }),
    )
  );
}

/** The external servers that a configuration has. */
interface NextExternals {
  readonly opened: readonly OpenedExternal[];
  /** Closes what this configuration no longer has. */
  use(): Promise<void>;
  /** Closes what only this configuration has. */
  cancel(): Promise<void>;
}

/** A server that a new configuration leaves unchanged goes on. */
class Externals {
  #current = new Map<string, { readonly server: string; readonly external: OpenedExternal }>();
  readonly #isSelected: (id: string) => boolean;
  readonly #context: ExternalContext;

  constructor(isSelected: (id: string) => boolean, context: ExternalContext) {
    this.#isSelected = isSelected;
    this.#context = context;
  }

  get opened(): readonly OpenedExternal[] {
    return [...this.#current.values()].map(({ external }) => external);
  }

  async of(loaded: LoadedConfig | undefined): Promise<NextExternals> {
    const servers = Object.entries(loaded?.config.external ?? {}).filter(([id]) => this.#isSelected(id));
    const before = this.#current;
    const text = new Map(servers.map(([id, server]) => [id, JSON.stringify(server)] as const));
    const isNew = (id: string) => this.#isSelected(id) && before.get(id)?.server !== text.get(id);
    const added = await openExternals(loaded, { ...this.#context, isSelected: isNew });
    const opened = new Map(added.map((external) => [external.mount.id, external]));
    const next = new Map(
      [...text].flatMap(([id, server]) => {
        const external = opened.get(id) ?? before.get(id)?.external;
        return external === undefined ? [] : [[id, { server, external }] as const];
      }),
    );
    return {
      opened: [...next.values()].map(({ external }) => external),
      use: async () => {
        this.#current = next;
        const removed = [...before].filter(([id, { external }]) => next.get(id)?.external !== external);
        await Promise.all(removed.map(([, { external }]) => external.close()));
      },
      cancel: async () => void (await Promise.all(added.map(({ close }) => close()))),
    };
  }
}

type ExternalContext = Pick<ExternalMounts, 'env' | 'log'> & { readonly opened: OpenMounts };

function openModules(
  loaded: LoadedConfig | undefined,
  isSelected: (id: string) => boolean,
): Promise<readonly LoadedModule[]> {
  const modules = Object.entries(loaded?.config.modules ?? {}).filter(([id]) => isSelected(id));
  return Promise.all(modules.map(([id, module]) => loadModule(id, module, loaded?.places.folder ?? '.')));
}

async function openExternals(
  loaded: LoadedConfig | undefined,
  context: ExternalContext & Pick<ExternalMounts, 'isSelected'>,
): Promise<readonly OpenedExternal[]> {
  if (loaded === undefined || Object.keys(loaded.config.external).length === 0) return [];
  const { opened, ...others } = context;
  const { mounts, user, popup: person } = opened;
  // The SDK's client is loaded only for a desk that has other servers.
  const { openAccepted } = await import('./acceptance/open.ts');
  return openAccepted(loaded, { ...others, user, person, logMount: mounts.find(({ id }) => id === 'log') });
}

/** @throws StartError for an id that does not exist */
function selectionFrom({ mounts, noMounts }: DeskSettings, moduleIds: readonly string[]) {
  const known = [...BUILT_IN_IDS, ...moduleIds];
  const unknown = [...mounts, ...noMounts].find((id) => !known.includes(id));
  if (unknown !== undefined) {
    throw new StartError(`Unknown mount "${unknown}". Mounts: ${known.join(', ')}.`);
  }
  // A later configuration may have further ids.
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

import type { Log } from '@deskside/core';
import { messageOf } from '@deskside/core/errors';
import { type ExternalServer, offeredBy } from '../config/external.ts';
import {
  type ListingSource,
  type ListProblems,
  NO_PROBLEMS,
  type ServerListing,
  withLast,
} from '../external/listing.ts';
import { digestOf } from '@deskside/desktop';
import { matches } from '../mounts/glob.ts';
import { type Change, compare } from './compare.ts';
import type { ListingStore, Waiting } from './listing-store.ts';

export interface SourceOptions {
  readonly id: string;
  readonly server: ExternalServer;
  readonly store: ListingStore;
  readonly log: Log;
  /** Called with changes that were never reported before. */
  readonly report: (changes: readonly Change[]) => void;
}

/** What is known of a server at one moment. */
interface SourceState {
  /** What may be used. */
  readonly current?: ServerListing | undefined;
  /** What the server listed last, while this process runs. */
  readonly seen?: ServerListing | undefined;
  /** The parts of its listing that wait until they are accepted. */
  readonly changes: readonly Change[];
  /** What of its lists cannot be used, a sentence each. */
  readonly problems: readonly string[];
  /** PATH of the person who accepted it. */
  readonly path?: string | undefined;
  /** Why the accepted listing cannot be used. */
  readonly damage?: string | undefined;
  /** The parts that were reported, also by a process before. */
  readonly reported: ReadonlySet<string>;
}

/** The accepted listing of a server on disk. */
export interface AcceptanceSource extends ListingSource, Disposable {
  state(): SourceState;
}

/** Reads what was accepted. A file that cannot be used is logged and counts as missing: then everything waits. */
export async function openSource(options: SourceOptions): Promise<AcceptanceSource> {
  const { id, server, store, log, report } = options;
  const listeners = new Set<(listing: ServerListing) => void>();
  const isBlocked = matches(server.block ?? []);
  /** A blocked tool is not listed: its changes wait until it is not blocked anymore. */
  const isNeeded = ({ kind, name }: Change) => kind !== 'tool' || !isBlocked(name);
  let state: SourceState = { changes: [], problems: [], reported: new Set() };
  let latest: Promise<unknown> = Promise.resolve();

  /** One after the other: several connections may list at once, and a person may accept meanwhile. */
  function queue<T>(work: () => Promise<T>): Promise<T> {
    const next = latest.then(work);
    // The caller gets the error; the next work does not depend on it.
    latest = next.catch(() => undefined);
    return next;
  }

  function know(more: Partial<SourceState>): void {
    state = { ...state, ...more };
  }

  async function readAccepted(): Promise<ServerListing | undefined> {
    know({ damage: undefined });
    const onFailure = (damage: string) => know({ damage });
    const accepted = await ifReadable(options, () => store.accepted(id), onFailure);
    know({ path: accepted?.path });
    if (state.seen === undefined) know({ problems: accepted?.problems ?? [] });
    return accepted && offeredListing(accepted.listing, server);
  }

  async function readWaiting(): Promise<Waiting | undefined> {
    const waiting = await ifReadable(options, () => store.waiting(id));
    return waiting?.server === serverDigest(server) ? waiting : undefined;
  }

  /** @returns what may be used */
  function compared(accepted: ServerListing | undefined, listing: ServerListing): ServerListing {
    const { usable, waiting } = compare(accepted, listing);
    know({ changes: waiting.filter(isNeeded), current: accepted && usable });
    return usable;
  }

  async function observed(listing: ServerListing, found: ListProblems): Promise<ServerListing> {
    const seen = offeredListing(withLast(listing, found, state.current), server);
    know({ seen, problems: found.sentences });
    const usable = compared(await readAccepted(), seen);
    await keep(seen);
    return usable;
  }

  /** Stores what waits, and reports each part once. */
  async function keep(listing: ServerListing): Promise<void> {
    const known = await readWaiting();
    const { changes, problems } = state;
    if (changes.length === 0 && problems.length === 0 && known === undefined) return;
    // Another process may have reported some.
    const before = new Set([...state.reported, ...(known?.reported ?? [])]);
    const isSilent = before.size >= MAX_REPORTED;
    const fresh = isSilent ? [] : changes.filter((change) => !before.has(partOf(change)));
    const reported = new Set([...before, ...fresh.map(partOf)]);
    know({ reported });
    const waiting = { changes, problems, listing, server: serverDigest(server), reported: [...reported] };
    await store
      .setWaiting(id, waiting)
      .catch((error: unknown) =>
        log.error('what waits for acceptance cannot be stored', { mount: id, error: messageOf(error) }),
      );
    if (fresh.length > 0) report(fresh);
  }

  /** A person has accepted something, or what was accepted is damaged or gone: then nothing of it counts. */
  async function accepted(): Promise<void> {
    const listing = await readAccepted();
    const offered = state.seen ?? listing ?? state.current;
    if (offered === undefined) return;
    const usable = compared(listing, offered);
    // Some of what waits may have come after the person saw it; it was reported then.
    know({ reported: new Set(state.changes.map(partOf)) });
    if (state.seen !== undefined && listing !== undefined) await keep(state.seen);
    for (const listener of listeners) listener(usable);
  }

  // First: what is accepted meanwhile is noticed.
  const stop = store.watch(id, () => void queue(accepted), log);
  await queue(async () => {
    const current = await readAccepted();
    const { changes = [], problems = state.problems, reported } = (await readWaiting()) ?? {};
    know({ current, changes, problems, reported: new Set(reported) });
  });
  return {
    state: () => state,
    current: () => state.current,
    observed: (listing, found = NO_PROBLEMS) => queue(() => observed(listing, found)),
    onAccepted: (listener) => void listeners.add(listener),
    [Symbol.dispose]: stop,
  };
}

/** A server that invents new names again and again is reported no further until a person has accepted something. */
const MAX_REPORTED = 100;

function partOf({ kind, name }: Change): string {
  return `${kind} ${name}`;
}

async function ifReadable<T>(
  { id, log }: SourceOptions,
  read: () => Promise<T>,
  onFailure: (reason: string) => void = () => undefined,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    const reason = messageOf(error);
    log.error('what was accepted of a server cannot be used', { mount: id, error: reason });
    onFailure(reason);
    return undefined;
  }
}

/** Without the tools and prompts that the configuration leaves out. */
export function offeredListing(listing: ServerListing, server: ExternalServer): ServerListing {
  const isOffered = offeredBy(server);
  return {
    ...listing,
    tools: listing.tools.filter(({ name }) => isOffered(name)),
    prompts: listing.prompts.filter(({ name }) => isOffered(name)),
  };
}

/** Identifies what runs and which names are offered. References stand for secrets, so no secret is in it. */
export function serverDigest(server: ExternalServer): string {
  const { brief, flat, rename, start_seconds, timeout_seconds, ...others } = server;
  const { max_result_bytes, idle_minutes, run, ask, block, ...rest } = others;
  return digestOf(rest);
}

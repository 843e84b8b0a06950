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

/** The accepted listing of a server on disk. */
export interface AcceptanceSource extends ListingSource, Disposable {
  /** How many parts of the listing wait until they are accepted. */
  waiting(): number;
  /** PATH of the person who accepted it. */
  path(): string | undefined;
  /** Why the accepted listing cannot be used. */
  damage(): string | undefined;
  /** What of the server's lists cannot be used, a sentence each. */
  problems(): readonly string[];
}

/** Reads what was accepted. A file that cannot be used is logged and counts as missing: then everything waits. */
export async function openSource(options: SourceOptions): Promise<AcceptanceSource> {
  const { id, server, store, log, report } = options;
  const listeners = new Set<(listing: ServerListing) => void>();
  const isBlocked = matches(server.block ?? []);
  /** A blocked tool is not listed: its changes wait until it is not blocked anymore. */
  const isNeeded = ({ kind, name }: Change) => kind !== 'tool' || !isBlocked(name);
  let damage: string | undefined;
  let path: string | undefined;
  /** What the server listed last, while this process runs. */
  let seen: ServerListing | undefined;
  let problems: readonly string[] = [];
  let current: ServerListing | undefined;
  let changes: readonly Change[] = [];
  /** The parts that were reported, also by a process before. */
  let reported = new Set<string>();
  let latest: Promise<unknown> = Promise.resolve();

  /** One after the other: several connections may list at once, and a person may accept meanwhile. */
  function queue<T>(work: () => Promise<T>): Promise<T> {
    const next = latest.then(work);
    // The caller gets the error; the next work does not depend on it.
    latest = next.catch(() => undefined);
    return next;
  }

  async function readAccepted(): Promise<ServerListing | undefined> {
    damage = undefined;
    const accepted = await ifReadable(
      options,
      () => store.accepted(id),
      (reason) => (damage = reason),
    );
    path = accepted?.path;
    if (seen === undefined) problems = accepted?.problems ?? [];
    return accepted && offeredListing(accepted.listing, server);
  }

  async function readWaiting(): Promise<Waiting | undefined> {
    const waiting = await ifReadable(options, () => store.waiting(id));
    return waiting?.server === serverDigest(server) ? waiting : undefined;
  }

  /** @returns what may be used */
  function compared(accepted: ServerListing | undefined, listing: ServerListing): ServerListing {
    const { usable, waiting } = compare(accepted, listing);
    changes = waiting.filter(isNeeded);
    current = accepted && usable;
    return usable;
  }

  async function observed(listing: ServerListing, found: ListProblems): Promise<ServerListing> {
    seen = offeredListing(withLast(listing, found, current), server);
    problems = found.sentences;
    const usable = compared(await readAccepted(), seen);
    await keep(seen);
    return usable;
  }

  /** Stores what waits, and reports each part once. */
  async function keep(listing: ServerListing): Promise<void> {
    const known = await readWaiting();
    if (changes.length === 0 && problems.length === 0 && known === undefined) return;
    // Another process may have reported some.
    for (const part of known?.reported ?? []) reported.add(part);
    const isSilent = reported.size >= MAX_REPORTED;
    const fresh = isSilent ? [] : changes.filter((change) => !reported.has(partOf(change)));
    for (const change of fresh) reported.add(partOf(change));
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
    const offered = seen ?? listing ?? current;
    if (offered === undefined) return;
    const usable = compared(listing, offered);
    // Some of what waits may have come after the person saw it; it was reported then.
    reported = new Set(changes.map(partOf));
    if (seen !== undefined && listing !== undefined) await keep(seen);
    for (const listener of listeners) listener(usable);
  }

  // First: what is accepted meanwhile is noticed.
  const stop = store.watch(id, () => void queue(accepted), log);
  await queue(async () => {
    current = await readAccepted();
    const stored = await readWaiting();
    changes = stored?.changes ?? [];
    problems = stored?.problems ?? problems;
    reported = new Set(stored?.reported);
  });
  return {
    current: () => current,
    observed: (listing, found = NO_PROBLEMS) => queue(() => observed(listing, found)),
    onAccepted: (listener) => void listeners.add(listener),
    waiting: () => changes.length,
    path: () => path,
    damage: () => damage,
    problems: () => problems,
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

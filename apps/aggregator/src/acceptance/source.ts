import type { Log } from '@deskside/core';
import { messageOf } from '@deskside/core/errors';
import { type ExternalServer, offeredBy } from '../config/external.ts';
import type { ListingSource, ServerListing } from '../external/listing.ts';
import { type Change, compare, digestOf } from './compare.ts';
import type { ListingStore } from './store.ts';

export interface SourceOptions {
  readonly id: string;
  readonly server: ExternalServer;
  readonly store: ListingStore;
  readonly log: Log;
  /** Called with changes that were never reported before. */
  readonly report: (changes: readonly Change[]) => void;
}

/** The accepted listing of a server on disk. */
export interface AcceptanceSource extends ListingSource {
  /** How many parts of the listing wait until they are accepted. */
  waiting(): number;
}

/** Reads what was accepted. A file that cannot be used counts as missing: then everything waits. */
export async function openSource(options: SourceOptions): Promise<AcceptanceSource> {
  const { id, server, store, log, report } = options;
  const readAccepted = () => ifReadable(options, async () => (await store.accepted(id))?.listing);
  let current = offeredIfAny(await readAccepted(), server);
  let changes = (await ifReadable(options, () => store.waiting(id)))?.changes ?? [];
  let latest: Promise<unknown> = Promise.resolve();

  async function observed(listing: ServerListing): Promise<ServerListing> {
    const all = offeredListing(listing, server);
    // A person may have accepted changes meanwhile.
    const accepted = await readAccepted();
    const compared = compare(accepted, all);
    changes = compared.waiting;
    current = accepted === undefined ? undefined : compared.usable;
    await keep(all);
    return compared.usable;
  }

  /** Stores what waits, and reports what is new of it. */
  async function keep(listing: ServerListing): Promise<void> {
    const known = await ifReadable(options, () => store.waiting(id));
    if (changes.length === 0 && known === undefined) return;
    const reported = new Set([...(known?.reported ?? []), ...unsaved]);
    const fresh = changes.filter((change) => !reported.has(digestOf(change)));
    const digests = [...reported, ...fresh.map(digestOf)].slice(-MAX_REPORTED);
    try {
      await store.setWaiting(id, { changes, listing, server: serverDigest(server), reported: digests });
      unsaved.clear();
    } catch (error) {
      for (const digest of digests) unsaved.add(digest);
      log.error('what waits for acceptance cannot be stored', { mount: id, error: messageOf(error) });
    }
    if (fresh.length > 0) report(fresh);
  }
  const unsaved = new Set<string>();

  return {
    current: () => current,
    observed(listing) {
      // One after the other: several connections may list at once.
      const next = latest.then(() => observed(listing));
      latest = next.catch(() => undefined);
      return next;
    },
    waiting: () => changes.length,
  };
}

const MAX_REPORTED = 1000;

async function ifReadable<T>({ id, log }: SourceOptions, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    log.error('an accepted listing cannot be read', { mount: id, error: messageOf(error) });
    return undefined;
  }
}

function offeredIfAny(listing: ServerListing | undefined, server: ExternalServer): ServerListing | undefined {
  return listing && offeredListing(listing, server);
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
  const { brief, flat, rename, timeout_seconds, max_result_bytes, idle_minutes, ...rest } = server;
  return digestOf(rest);
}

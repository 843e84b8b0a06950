import { messageOf, StartError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import { wordLines } from '../approvals/words.ts';
import type { ExternalServer } from '../config/external.ts';
import { type ServerListing, withLast } from '../external/listing.ts';
import type { Trial } from '../external/trial.ts';
import { compare } from './compare.ts';
import { differenceOf, overviewOf, summaryOf } from './describe.ts';
import { offeredListing, serverDigest } from './source.ts';
import type { Accepted, ListingStore, Waiting } from './store.ts';

/** A server that offers something that a person has not accepted, or whose offer is not known. */
export interface Due {
  readonly id: string;
  readonly server: ExternalServer;
  readonly accepted: Accepted | undefined;
  /** What the desk has seen. Without it the server has to be started. */
  readonly waiting: Waiting | undefined;
}

/** What a person sees before it is accepted. */
export interface Review {
  readonly id: string;
  /** Escaped. */
  readonly lines: readonly string[];
  /** Undefined if the server cannot be started: then what it offers waits. */
  readonly accepted: Accepted | undefined;
}

/** The servers of a configuration that need an acceptance. */
export async function dueServers(
  external: Readonly<Record<string, ExternalServer>>,
  store: ListingStore,
): Promise<readonly Due[]> {
  const all = await Promise.all(
    Object.entries(external).map(async ([id, server]) => dueServer(id, server, store)),
  );
  return all.filter((due) => due !== undefined);
}

async function dueServer(id: string, server: ExternalServer, store: ListingStore): Promise<Due | undefined> {
  const digest = serverDigest(server);
  const accepted = await store.accepted(id);
  const seen = await store.waiting(id);
  const waiting = seen?.server === digest ? seen : undefined;
  if (waiting !== undefined && waiting.changes.length > 0) return { id, server, accepted, waiting };
  return accepted?.server === digest ? undefined : { id, server, accepted, waiting: undefined };
}

/**
 * Describes what a server offers, for a person who decides.
 *
 * @param start starts the server on trial. Called only if the desk has not seen what the server offers.
 */
export async function review(due: Due, start: () => Promise<Trial>): Promise<Review> {
  const { id, server, accepted, waiting } = due;
  try {
    const { listing, problems } = waiting ?? (await tried(due, start));
    const lines = [
      ...offerLines(id, listing, accepted?.listing),
      ...(problems ?? []).map((problem) => `  ! ${escapeInvisible(problem)}`),
      ...renameLines(server, listing),
      ...wordLines(listing.tools, server),
    ];
    return { id, lines, accepted: { listing, server: serverDigest(server) } };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const lines = [`${id} cannot be started: ${escapeInvisible(messageOf(error))}`];
    return { id, lines, accepted: undefined };
  }
}

async function tried({ server, accepted }: Due, start: () => Promise<Trial>) {
  const { listing, problems } = await start();
  const whole = withLast(listing, problems, accepted?.listing);
  return { listing: offeredListing(whole, server), problems: problems.sentences };
}

function offerLines(
  id: string,
  listing: ServerListing,
  accepted: ServerListing | undefined,
): readonly string[] {
  if (accepted === undefined) return [`${id} offers:`, ...overviewOf(listing)];
  const { waiting } = compare(accepted, listing);
  const gone = goneLines(accepted, listing);
  if (waiting.length === 0) return [`${id} offers nothing new.`, ...gone];
  return [`${id} offers ${summaryOf(waiting)}:`, ...waiting.flatMap(differenceOf), ...gone];
}

/** Tools and prompts that the server does not list any more. */
function goneLines(accepted: ServerListing, listing: ServerListing): readonly string[] {
  return (['tools', 'prompts'] as const).flatMap((list) => {
    const names = new Set(listing[list].map(({ name }) => name));
    const gone = accepted[list].filter(({ name }) => !names.has(name));
    return gone.map(({ name }) => `  - ${list.slice(0, -1)} ${escapeInvisible(name)}`);
  });
}

/** Renames that have no effect or that give two tools one name. */
function renameLines({ rename = {} }: ExternalServer, { tools, prompts }: ServerListing): readonly string[] {
  const names = new Set([...tools, ...prompts].map(({ name }) => name));
  return Object.entries(rename).flatMap(([old, name]) => {
    if (!names.has(old)) return [`  rename: the server has no tool or prompt "${escapeInvisible(old)}".`];
    const isUsed = names.has(name) && rename[name] === undefined;
    return isUsed ? [`  rename: the server has a tool or prompt "${name}" already.`] : [];
  });
}

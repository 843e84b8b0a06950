import { isObject } from '@deskside/core/base';
import { messageOf, StartError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import type { ReviewPart } from '@deskside/desktop';
import { unlessDamaged } from '../files/private-json.ts';
import { claimOf, wordLines, wordOf } from '../approvals/words.ts';
import type { ExternalServer } from '../config/external.ts';
import { type ServerListing, withLast } from '../external/listing.ts';
import type { Trial } from '../external/trial.ts';
import { type Change, compare } from './compare.ts';
import { differenceOf, overviewOf, summaryOf } from './describe.ts';
import { offeredListing, serverDigest } from './source.ts';
import type { Accepted, ListingStore, Waiting } from './listing-store.ts';

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
  readonly parts: readonly ReviewPart[];
  /** Undefined if the server cannot be started: then what it offers waits. */
  readonly accepted: Accepted | undefined;
  /** The new and changed tools that do not say that they only read, or about which there is a warning, by name. */
  readonly acting: readonly string[];
}

/**
 * The servers of a configuration that need an acceptance.
 *
 * @param onDamage called with each file of an acceptance that does not count, because it is damaged
 */
export async function dueServers(
  external: Readonly<Record<string, ExternalServer>>,
  store: ListingStore,
  onDamage: (file: string) => void,
): Promise<readonly Due[]> {
  const all = await Promise.all(
    Object.entries(external).map(async ([id, server]): Promise<readonly Due[]> => {
      const accepted = await unlessDamaged(() => store.accepted(id), onDamage);
      const seen = await store.waiting(id);
      const digest = serverDigest(server);
      const waiting = seen?.server === digest && seen.changes.length > 0 ? seen : undefined;
      return waiting === undefined && accepted?.server === digest ? [] : [{ id, server, accepted, waiting }];
    }),
  );
  return all.flat();
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
    const { waiting: changes } = compare(accepted?.listing, listing);
    const shown =
      accepted === undefined
        ? overviewOf(listing)
        : [...changes.map(differenceOf), ...gone(accepted.listing, listing)];
    const found = [
      ...problems.map((problem) => escapeInvisible(problem)),
      ...renameProblems(server, listing),
      ...shown.flatMap(suspicions),
    ];
    const suspicious = suspiciousTools(listing.tools, shown);
    const words = wordLines(listing.tools, server, suspicious);
    const parts: readonly ReviewPart[] = [
      { title: `${id} offers${titleEnd(accepted, changes)}`, isHeading: true },
      ...(found.length === 0 ? [] : [{ title: 'Look at this first', lines: found.map(warning) }]),
      ...(words.length === 0 ? [] : [callsPart(id, words)]),
      ...shown,
    ];
    return {
      id,
      parts,
      accepted: { listing, server: serverDigest(server), ...(problems.length > 0 && { problems }) },
      acting: actingTools(changes, server, suspicious),
    };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const title = `${id} cannot be started: ${escapeInvisible(messageOf(error))}`;
    return { id, parts: [{ title, isHeading: true }], accepted: undefined, acting: [] };
  }
}

const warning = (text: string) => ({ text: `! ${text}`, mark: 'warning' as const });

function suspicions({ title, lines = [] }: ReviewPart): readonly string[] {
  return lines.filter(({ mark }) => mark === 'warning').map(({ text }) => `${title} ${text.slice(2)}`);
}

/** What happens to calls. */
export function callsPart(id: string, lines: readonly string[]): ReviewPart {
  return { title: `When an agent calls ${id}`, lines: lines.map((text) => ({ text })) };
}

function titleEnd(accepted: Accepted | undefined, changes: readonly Change[]): string {
  if (accepted === undefined) return ':';
  return changes.length === 0 ? ' nothing new.' : ` ${summaryOf(changes)}:`;
}

/** Names of tools about which there is a warning. */
function suspiciousTools(tools: ServerListing['tools'], shown: readonly ReviewPart[]): ReadonlySet<string> {
  const titles = new Set(shown.filter((part) => suspicions(part).length > 0).map(({ title }) => title));
  return new Set(tools.flatMap(({ name }) => (titles.has(`tool ${escapeInvisible(name)}`) ? [name] : [])));
}

function actingTools(changes: readonly Change[], server: ExternalServer, suspicious: ReadonlySet<string>) {
  return changes.flatMap(({ kind, name, after }) => {
    if (kind !== 'tool' || !isObject(after)) return [];
    const tool = { name, annotations: after['annotations'] };
    if (wordOf(tool, server).word === 'block') return [];
    return claimOf(tool) === 'reads only' && !suspicious.has(name) ? [] : [name];
  });
}

async function tried({ server, accepted }: Due, start: () => Promise<Trial>) {
  const { listing, problems } = await start();
  const whole = withLast(listing, problems, accepted?.listing);
  return { listing: offeredListing(whole, server), problems: problems.sentences };
}

/** Tools and prompts that the server does not list any more. */
function gone(accepted: ServerListing, listing: ServerListing): readonly ReviewPart[] {
  return (['tools', 'prompts'] as const).flatMap((list) => {
    const names = new Set(listing[list].map(({ name }) => name));
    const missing = accepted[list].filter(({ name }) => !names.has(name));
    return missing.map(({ name }) => ({
      title: `${list.slice(0, -1)} ${escapeInvisible(name)}`,
      state: 'gone' as const,
    }));
  });
}

/** Renames that have no effect or that give two tools one name. */
function renameProblems(
  { rename = {} }: ExternalServer,
  { tools, prompts }: ServerListing,
): readonly string[] {
  const names = new Set([...tools, ...prompts].map(({ name }) => name));
  return Object.entries(rename).flatMap(([old, name]) => {
    if (!names.has(old)) return [`rename: the server has no tool or prompt "${escapeInvisible(old)}".`];
    const isUsed = names.has(name) && !Object.hasOwn(rename, name);
    return isUsed ? [`rename: the server has a tool or prompt "${name}" already.`] : [];
  });
}

/** Whether the person can accept the reading tools only: there are such tools, and others. */
export function offersReading(reviews: readonly Review[]): boolean {
  const reads = reviews.some(({ acting, accepted }) =>
    accepted?.listing.tools.some(({ name }) => !acting.includes(name)),
  );
  return reads && reviews.some(({ acting }) => acting.length > 0);
}

/** Patterns of deskside.toml that block the tools that do more than read. */
export function blockedBy({ acting }: Review): readonly string[] {
  // A name can have characters that have no place in a pattern.
  return acting.map((name) => name.replaceAll(/[^\p{L}\p{N}_*?./:-]/gu, ({ length }) => '?'.repeat(length)));
}

/** What the person did not accept, a line per server. */
export function blockedLines(reviews: readonly Review[]): readonly string[] {
  return reviews
    .filter(({ acting }) => acting.length > 0)
    .map(({ id, acting }) => `Blocked in ${id}: ${acting.map((name) => escapeInvisible(name)).join(', ')}.`);
}

import { timingSafeEqual } from 'node:crypto';
import { type Clock, systemClock } from '../base/clock.ts';
import { type StoredTokens, tokenDigest, type TokenRecord } from '../base/tokens.ts';
import type { Principal } from '../definition/context.ts';
import { StartError, UserError } from '../errors/index.ts';
import type { Log } from '../log.ts';
import type { Authenticate } from '../serving/http/auth.ts';

/** How long a revoked token is accepted at most. */
const LOOK_INTERVAL_MS = 1000;
const USE_INTERVAL_MS = 3_600_000;

export interface TokenOwner {
  readonly user: string;
  /** The owner's main token. */
  readonly token: string;
}

export interface TokenSource<Stored extends TokenRecord> {
  readonly stored: Omit<StoredTokens<Stored>, 'change'>;
  /** What a principal has besides user and name of the token. */
  readonly limitsOf?: (record: Stored) => Pick<Principal, 'profile' | 'claims'>;
  readonly clock?: Pick<Clock, 'elapsedMs'>;
}

/** The tokens at one moment. */
interface Look<Stored> {
  readonly atMs: number;
  readonly records: ReadonlyMap<string, Stored>;
}

/**
 * Accepts the owner's main token, and stored tokens with their users. A new token counts at once, a revoked one is
 * rejected within a second.
 */
export function tokenAuthentication<Stored extends TokenRecord>(
  { user, token }: TokenOwner,
  { stored, limitsOf, clock = systemClock }: TokenSource<Stored>,
  log: Log,
): Authenticate {
  const ownDigest = Buffer.from(tokenDigest(token));
  let latest: Look<Stored> = { atMs: Number.NEGATIVE_INFINITY, records: new Map() };
  let looking: Promise<Look<Stored>> | undefined;
  const usedMs = new Map<string, number>();

  async function read(): Promise<Look<Stored>> {
    const atMs = clock.elapsedMs();
    try {
      const records = await stored.read();
      return { atMs, records: new Map(records.map((record) => [record.sha256, record])) };
    } catch (error) {
      const isUntrusted = error instanceof StartError;
      if (!isUntrusted && !UserError.is(error)) throw error;
      log.error('tokens not read', { error: error.message });
      // Only the owner gets in while the place cannot be trusted. While it does not answer, the last look counts: a client
      // that is refused would ask its person for a new token.
      return isUntrusted ? { atMs, records: new Map() } : { ...latest, atMs };
    }
  }

  /** Requests that come together wait for the same look. */
  async function look(): Promise<Look<Stored>> {
    looking ??= read().finally(() => {
      looking = undefined;
    });
    latest = await looking;
    return latest;
  }

  async function recordOf(digest: string): Promise<Stored | undefined> {
    const isRecent = clock.elapsedMs() - latest.atMs < LOOK_INTERVAL_MS;
    // An unknown token may be newer than the last look.
    return (isRecent ? latest.records.get(digest) : undefined) ?? (await look()).records.get(digest);
  }

  function noteUse({ sha256, name }: Stored): void {
    const nowMs = clock.elapsedMs();
    if (nowMs - (usedMs.get(sha256) ?? Number.NEGATIVE_INFINITY) < USE_INTERVAL_MS) return;
    usedMs.set(sha256, nowMs);
    stored.noteUse?.(sha256).catch((error: unknown) => {
      log.debug('use of a token not noted', { token: name, error });
    });
  }

  return async (authorization): Promise<Principal | undefined> => {
    const [, given] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
    if (given === undefined) return undefined;
    const digest = tokenDigest(given);
    if (timingSafeEqual(Buffer.from(digest), ownDigest)) return { user };
    const record = await recordOf(digest);
    if (record === undefined) return undefined;
    noteUse(record);
    return { user: record.user ?? user, token: record.name, ...limitsOf?.(record) };
  };
}

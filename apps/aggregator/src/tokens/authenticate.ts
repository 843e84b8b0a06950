import { timingSafeEqual } from 'node:crypto';
import type { Authenticate, Log, Principal } from '@deskside/core';
import { type Clock, systemClock } from '@deskside/core/base';
import { StartError } from '@deskside/core/errors';
import { LEVEL_CLAIM } from '../approvals/levels.ts';
import { digestOf, type TokenRecord, type TokenStore } from './store.ts';

/** How long a revoked token is accepted at most. */
const LOOK_INTERVAL_MS = 1000;

export interface TokenOwner {
  readonly user: string;
  /** The owner's main token. */
  readonly token: string;
}

/** The store at one moment. */
interface Look {
  readonly atMs: number;
  readonly version: string | undefined;
  readonly records: ReadonlyMap<string, TokenRecord>;
}

/**
 * Accepts the owner's main token and the tokens of the store, with their users and profiles. A new token counts at
 * once, a revoked one is rejected within a second.
 */
export function tokenAuthentication(
  { user, token }: TokenOwner,
  store: TokenStore,
  log: Log,
  clock: Pick<Clock, 'elapsedMs'> = systemClock,
): Authenticate {
  const ownDigest = Buffer.from(digestOf(token));
  let latest: Look = { atMs: Number.NEGATIVE_INFINITY, version: undefined, records: new Map() };
  let looking: Promise<Look> | undefined;

  async function read(): Promise<Look> {
    const atMs = clock.elapsedMs();
    const version = await store.version();
    if (version === latest.version) return { ...latest, atMs };
    try {
      const records = await store.list();
      return { atMs, version, records: new Map(records.map((record) => [record.sha256, record])) };
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      // Only the owner gets in while the file cannot be trusted.
      log.error('tokens not accepted', { error: error.message });
      return { atMs, version, records: new Map() };
    }
  }

  /** Requests that come together wait for the same look. */
  async function look(): Promise<Look> {
    looking ??= read().finally(() => {
      looking = undefined;
    });
    latest = await looking;
    return latest;
  }

  async function recordOf(digest: string): Promise<TokenRecord | undefined> {
    const isRecent = clock.elapsedMs() - latest.atMs < LOOK_INTERVAL_MS;
    // An unknown token may be newer than the last look.
    return (isRecent ? latest.records.get(digest) : undefined) ?? (await look()).records.get(digest);
  }

  return async (authorization): Promise<Principal | undefined> => {
    const [, given] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
    if (given === undefined) return undefined;
    const digest = digestOf(given);
    if (timingSafeEqual(Buffer.from(digest), ownDigest)) return { user };
    const record = await recordOf(digest);
    if (record === undefined) return undefined;
    const { name, profile, approvals } = record;
    return {
      user: record.user ?? user,
      token: name,
      ...(profile === undefined ? {} : { profile }),
      ...(approvals === undefined ? {} : { claims: { [LEVEL_CLAIM]: approvals } }),
    };
  };
}

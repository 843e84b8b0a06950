import { timingSafeEqual } from 'node:crypto';
import type { Authenticate, Log, Principal } from '@deskside/core';
import { StartError } from '@deskside/core/errors';
import { digestOf, type TokenRecord, type TokenStore } from './store.ts';

/** How long a revoked token is accepted at most. */
const LOOK_INTERVAL_MS = 1000;

export interface TokenOwner {
  readonly user: string;
  /** The owner's main token. */
  readonly token: string;
}

/**
 * Accepts the owner's main token and the tokens of the store, with their users and profiles. A change of the store
 * counts within a second.
 *
 * @param now milliseconds of a monotonic clock
 */
export function tokenAuthentication(
  { user, token }: TokenOwner,
  store: TokenStore,
  log: Log,
  now: () => number = () => performance.now(),
): Authenticate {
  const ownDigest = Buffer.from(digestOf(token));
  let known: ReadonlyMap<string, TokenRecord> = new Map();
  let version: string | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;

  async function look(): Promise<void> {
    if (now() - lookedAt < LOOK_INTERVAL_MS) return;
    lookedAt = now();
    const current = await store.version();
    if (current === version) return;
    try {
      known = new Map((await store.list()).map((record) => [record.sha256, record]));
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      // Only the owner gets in while the file cannot be trusted.
      known = new Map();
      log.error('tokens not accepted', { error: error.message });
    }
    version = current;
  }

  return async (authorization): Promise<Principal | undefined> => {
    const [, given] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
    if (given === undefined) return undefined;
    const digest = digestOf(given);
    if (timingSafeEqual(Buffer.from(digest), ownDigest)) return { user };
    await look();
    const record = known.get(digest);
    if (record === undefined) return undefined;
    const { name, profile } = record;
    return { user: record.user ?? user, token: name, ...(profile === undefined ? {} : { profile }) };
  };
}

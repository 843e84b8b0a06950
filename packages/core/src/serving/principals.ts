import { createHash, timingSafeEqual } from 'node:crypto';
import type { Principal } from '../definition/context.ts';

/** Tells who sent a request from its Authorization header; undefined is nobody. */
export type Authenticate = (authorization: string | undefined) => Promise<Principal | undefined>;

/** One bearer token for one principal, compared in constant time. */
export function bearerToken(token: string, principal: Principal): Authenticate {
  const expected = digest(token);
  return async (authorization) => {
    const [, given] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
    return given !== undefined && timingSafeEqual(digest(given), expected) ? principal : undefined;
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

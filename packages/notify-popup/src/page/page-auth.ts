import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const COOKIE = 'deskside-popup';
/** Escape can stop a page while it loads. Each further attempt needs a new token. */
const TOKEN_COUNT = 5;

/** Admits exactly one browser to the page: the one that redeems a token gets the cookie. */
export interface PageAuth {
  /** The paths that open the page, each valid once. */
  readonly paths: readonly string[];
  /** The `Set-Cookie` header for a redeemed token. */
  readonly setCookie: string;
  redeem(path: string): 'accepted' | 'reused' | 'unknown';
  hasCookie(headers: IncomingHttpHeaders): boolean;
}

export function createPageAuth(): PageAuth {
  const cookie = newSecret();
  const paths = Array.from({ length: TOKEN_COUNT }, () => `/open/${newSecret()}`);
  const redeemed = new Set<string>();
  return {
    paths,
    setCookie: `${COOKIE}=${cookie}; HttpOnly; SameSite=Strict; Path=/`,
    redeem(given) {
      const path = paths.find((each) => equalSecrets(given, each));
      if (path === undefined) return 'unknown';
      if (redeemed.has(path)) return 'reused';
      redeemed.add(path);
      return 'accepted';
    },
    hasCookie: ({ cookie: header = '' }) => equalSecrets(header, `${COOKIE}=${cookie}`),
  };
}

/** 256 bits. */
function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares in constant time. */
function equalSecrets(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

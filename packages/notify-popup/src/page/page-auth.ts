import type { IncomingHttpHeaders } from 'node:http';
import { newSecret, tokenDigest } from '@deskside/core/base';

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
  const cookie = `${COOKIE}=${newSecret()}`;
  const paths = Array.from({ length: TOKEN_COUNT }, () => `/open/${newSecret()}`);
  /** By digest: a lookup takes a time that says nothing about the secret. */
  const states = new Map<string, 'accepted' | 'reused'>(
    paths.map((path) => [tokenDigest(path), 'accepted'] as const),
  );
  return {
    paths,
    setCookie: `${cookie}; HttpOnly; SameSite=Strict; Path=/`,
    redeem(given) {
      const token = tokenDigest(given);
      const state = states.get(token) ?? 'unknown';
      if (state === 'accepted') states.set(token, 'reused');
      return state;
    },
    hasCookie: ({ cookie: given = '' }) => tokenDigest(given) === tokenDigest(cookie),
  };
}

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const COOKIE = 'deskside-popup';
const ATTEMPTS = 5;

/** Who may talk to the popup's server: the one browser that came with a token. */
export interface Gate {
  /** The paths that open the page, each once: a load that was stopped is tried again with the next. */
  readonly paths: readonly string[];
  /** Of the cookie that a token is swapped for. */
  readonly setCookie: string;
  admit(path: string): 'admitted' | 'used-again' | 'unknown';
  hasCookie(headers: IncomingHttpHeaders): boolean;
}

export function newGate(): Gate {
  const cookie = secret();
  const paths = Array.from({ length: ATTEMPTS }, () => `/open/${secret()}`);
  const used = new Set<string>();
  return {
    paths,
    setCookie: `${COOKIE}=${cookie}; HttpOnly; SameSite=Strict; Path=/`,
    admit(given) {
      const path = paths.find((one) => equal(given, one));
      if (path === undefined) return 'unknown';
      if (used.has(path)) return 'used-again';
      used.add(path);
      return 'admitted';
    },
    hasCookie: ({ cookie: header = '' }) => equal(header, `${COOKIE}=${cookie}`),
  };
}

/** 256 bits. */
function secret(): string {
  return randomBytes(32).toString('base64url');
}

function equal(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

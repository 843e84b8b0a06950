import type { AuthInfo } from '@modelcontextprotocol/server';
import { getOrAdd, isObject } from '../../base/values.ts';
import type { ClientProcess, ClientRoots, Era, Principal } from '../../definition/context.ts';
import { cutTexts, type Log } from '../../log.ts';
import { type Limits, limitsOf } from '../limits.ts';
import { CallSlots } from './call-slots.ts';
import { sealWith } from './seal.ts';
import { type StateSeal, stateSeal } from './state-seal.ts';

/** A running server. */
export interface Serving {
  /** The URL over HTTP, for example `http://127.0.0.1:3333/mcp`; undefined on stdio. */
  readonly url?: string;
  /** The URL for other machines, if the server listens beyond loopback. */
  readonly networkUrl?: string;
  /** Resolves when the server has stopped. */
  readonly closed: Promise<void>;
  /** Lets running requests finish for at most 1.5 s, aborts the others, and stops. */
  close(): Promise<void>;
}

/** What all connections of a server share. */
export interface Shared {
  readonly log: Log;
  readonly limits: Limits;
  /** Undefined: what this process seals, only this process opens. */
  readonly secret: string | undefined;
  readonly seal: StateSeal;
  readonly calls: CallSlots;
}

/** The token of an `Auth`, of which the server's secret is derived. */
export function tokenOf(auth: unknown): string | undefined {
  return isObject(auth) && typeof auth['token'] === 'string' ? auth['token'] : undefined;
}

/** @throws RangeError for a limit that is not a whole number of at least 1, and for an empty secret */
export function sharedBy(log: Log, secret: string | undefined, settings?: Partial<Limits>): Shared {
  // For example of a variable that is not set: anyone could derive its keys.
  if (secret === '') throw new RangeError('The secret or token is empty.');
  const limits = limitsOf(settings);
  return {
    log: cutTexts(log),
    limits,
    secret,
    seal: stateSeal(sealWith(secret, 'request state')),
    calls: new CallSlots(limits.callsPerSession),
  };
}

const authInfos = new WeakMap<Principal, AuthInfo>();
const principals = new WeakMap<AuthInfo, Principal>();

/** The SDK passes the caller of a request to its handlers as AuthInfo. The token is left out. */
export function authInfoOf(principal: Principal): AuthInfo {
  return getOrAdd(authInfos, principal, () => {
    const authInfo = { token: '', clientId: principal.user, scopes: [...(principal.scopes ?? [])] };
    principals.set(authInfo, principal);
    return authInfo;
  });
}

/** @throws Error for an AuthInfo that `authInfoOf` did not create */
export function principalOfAuth(authInfo: AuthInfo | undefined): Principal {
  const principal = authInfo && principals.get(authInfo);
  if (principal === undefined) throw new Error('The request has no principal.');
  return principal;
}

/** What is known about a connection before its first request. */
export interface Connection {
  readonly era: Era;
  readonly transport: 'stdio' | 'http';
  readonly principal: Principal;
  /** Id of the stdio process or of the legacy session; undefined for a request of the modern era over HTTP. */
  readonly session?: string;
  /** A label for the client's project, as far as the connection knows it. */
  readonly project?: () => string | undefined;
  readonly process?: ClientProcess;
  readonly roots?: ClientRoots;
  /** How the ids of requests to the client begin, if one was sent before. */
  readonly questionPrefix?: string;
  /** Aborted when the connection ends. */
  readonly ended?: AbortSignal;
}

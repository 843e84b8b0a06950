import { randomBytes } from 'node:crypto';
import type { InitializeRequestParams } from '@modelcontextprotocol/server';
import { firstCodePoints } from '../../text/index.ts';
import { digestOf, type Seal } from '../protocol/seal.ts';

/** Bytes of a session id, which is a header of every request. */
const MAX_ID_LENGTH = 1024;
const MAX_NAME_CODE_POINTS = 64;
/** For a client whose name does not fit into the id. */
const MIN_NAME_CODE_POINTS = 16;
const KEY_BYTES = 9;
/** How long an id is accepted. */
const LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/** What a session id contains. Only a holder of the secret can have written it. */
export interface SessionClaim {
  /** Identifies the session in logs and lists. It is not the id that the client sends, so it opens nothing. */
  readonly key: string;
  /** The same for the same user: `userKey`. */
  readonly user: string;
  /** Milliseconds of the wall clock. */
  readonly expiresAt: number;
  /** The parameters of the client's `initialize`, as far as the id has room. */
  readonly initialize: InitializeRequestParams;
}

/**
 * Session ids that contain the session: any process with the same secret can continue it, after a restart or an
 * eviction. They are visible ASCII of at most 1 kB.
 */
export class SessionIds {
  readonly #seal: Seal;

  constructor(seal: Seal) {
    this.#seal = seal;
  }

  create(user: string, { clientInfo, capabilities, protocolVersion }: InitializeRequestParams): string {
    const claimOf = (codePoints: number, named: InitializeRequestParams['capabilities']): SessionClaim => {
      const cut = (text: string) => firstCodePoints(text, codePoints);
      const { name, version, title } = clientInfo;
      const client = {
        name: cut(name),
        version: cut(version),
        ...(title === undefined ? {} : { title: cut(title) }),
      };
      return {
        key: randomBytes(KEY_BYTES).toString('base64url'),
        user: userKey(user),
        expiresAt: Date.now() + LIFETIME_MS,
        initialize: { protocolVersion: cut(protocolVersion), capabilities: named, clientInfo: client },
      };
    };
    const whole = this.#seal.seal(claimOf(MAX_NAME_CODE_POINTS, capabilities));
    // What the second one leaves out matters less than a session that survives.
    return whole.length <= MAX_ID_LENGTH
      ? whole
      : this.#seal.seal(claimOf(MIN_NAME_CODE_POINTS, namesOnly(capabilities)));
  }

  /** @returns undefined for an id that this secret did not create; the caller checks when it expires */
  open(id: string): SessionClaim | undefined {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it opens only what `create` has sealed
    return id.length > MAX_ID_LENGTH ? undefined : (this.#seal.open(id) as SessionClaim | undefined);
  }
}

/** A long name would not fit into the id. */
export function userKey(user: string): string {
  return user.length <= MAX_NAME_CODE_POINTS ? user : `\0${digestOf(user)}`;
}

/** The capabilities that core uses, without what a client adds to them. */
function namesOnly(capabilities: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = ['elicitation', 'roots', 'sampling'].filter((name) => name in capabilities);
  return Object.fromEntries(known.map((name) => [name, {}]));
}

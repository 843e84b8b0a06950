import { randomBytes } from 'node:crypto';
import type { Implementation, InitializeRequestParams } from '@modelcontextprotocol/server';
import { firstCodePoints } from '../../text/index.ts';
import { digestOf, type Seal } from '../protocol/seal.ts';

/** Bytes of a session id, which is a header of every request. */
const MAX_ID_LENGTH = 1024;
const MAX_NAME_CODE_POINTS = 64;
/** For a client whose name does not fit into the id. */
const MIN_NAME_CODE_POINTS = 16;
const MAX_VERSION_LENGTH = 32;
const KEY_BYTES = 9;
const LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/** What a session id contains. */
export interface SessionClaim {
  /** Identifies the session in logs and lists. It is not the id that the client sends, so it opens nothing. */
  readonly key: string;
  /** Digest of the principal's user. */
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

  create(user: string, { protocolVersion, capabilities, clientInfo }: InitializeRequestParams): string {
    const key = randomBytes(KEY_BYTES).toString('base64url');
    const base = { key, user: digestOf(user), expiresAt: Date.now() + LIFETIME_MS };
    const version = protocolVersion.slice(0, MAX_VERSION_LENGTH);
    const sealed = (own: typeof capabilities, maxCodePoints: number) => {
      const client = clientOf(clientInfo, maxCodePoints);
      const initialize = { protocolVersion: version, capabilities: own, clientInfo: client };
      return this.#seal.seal({ ...base, initialize } satisfies SessionClaim);
    };
    const whole = sealed(capabilities, MAX_NAME_CODE_POINTS);
    // What the second one leaves out matters less than a session that survives.
    return whole.length <= MAX_ID_LENGTH ? whole : sealed(namesOnly(capabilities), MIN_NAME_CODE_POINTS);
  }

  /** @returns undefined for an id that this secret did not create; the caller checks whose it is, and when it expires */
  open(id: string): SessionClaim | undefined {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `create` has sealed it
    return id.length > MAX_ID_LENGTH ? undefined : (this.#seal.open(id) as SessionClaim | undefined);
  }
}

function clientOf({ name, version, title }: Implementation, maxCodePoints: number): Implementation {
  const cut = (text: string) => firstCodePoints(text, maxCodePoints);
  return { name: cut(name), version: cut(version), ...(title === undefined ? {} : { title: cut(title) }) };
}

/** The capabilities that core uses, without what a client adds to them. */
function namesOnly(capabilities: Readonly<Record<string, unknown>>): Record<string, object> {
  const known = ['elicitation', 'roots', 'sampling'].filter((name) => name in capabilities);
  return Object.fromEntries(known.map((name) => [name, {}]));
}

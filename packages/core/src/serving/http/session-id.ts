import { randomBytes } from 'node:crypto';
import type { Implementation, InitializeRequestParams } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { firstCodePoints } from '../../text/index.ts';
import { digestOf, type Seal } from '../protocol/seal.ts';

/** Bytes of a session id, which is a header of every request. */
const MAX_ID_LENGTH = 1024;
const MAX_NAME_CODE_POINTS = 64;
/** For a client whose name does not fit into the id. */
const MIN_NAME_CODE_POINTS = 16;
const MAX_VERSION_LENGTH = 32;
const KEY_BYTES = 9;
const SECOND_MS = 1000;
/** How long an id is accepted. */
const LIFETIME_SECONDS = 30 * 24 * 60 * 60;

/** Short keys, because the id is sent with every request. */
const sealedSession = z.object({
  /** Distinguishes two sessions of one client. */
  i: z.string(),
  /** Digest of the principal's user. */
  u: z.string(),
  /** Name, version and title of the client. */
  n: z.string(),
  v: z.string(),
  t: z.string().optional(),
  /** Capabilities of the client. */
  c: z.record(z.string(), z.unknown()),
  /** Protocol version that the client asked for. */
  p: z.string(),
  /** Seconds of the wall clock at which the id expires. */
  e: z.number(),
});
type SealedSession = z.output<typeof sealedSession>;

/** What a session id contains. */
export interface SessionClaim {
  /** Identifies the session in logs and lists. It is not the id that the client sends, so it opens nothing. */
  readonly key: string;
  /** Milliseconds of the wall clock. */
  readonly expiresAt: number;
  /** The parameters of the client's `initialize`, as far as the id has room. */
  readonly initialize: InitializeRequestParams;
  belongsTo(user: string): boolean;
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

  create(user: string, initialize: InitializeRequestParams): string {
    const { capabilities, protocolVersion } = initialize;
    const base = {
      i: randomBytes(KEY_BYTES).toString('base64url'),
      u: digestOf(user),
      p: protocolVersion.slice(0, MAX_VERSION_LENGTH),
      e: Math.ceil(Date.now() / SECOND_MS) + LIFETIME_SECONDS,
    };
    // What the second one leaves out matters less than a session that survives.
    const whole = { ...base, ...clientOf(initialize.clientInfo, MAX_NAME_CODE_POINTS), c: capabilities };
    const id = this.#seal.seal(whole satisfies SealedSession);
    if (id.length <= MAX_ID_LENGTH) return id;
    const client = clientOf(initialize.clientInfo, MIN_NAME_CODE_POINTS);
    return this.#seal.seal({ ...base, ...client, c: namesOnly(capabilities) } satisfies SealedSession);
  }

  /** @returns undefined for an id that this secret did not create; the caller checks when it expires */
  open(id: string): SessionClaim | undefined {
    if (id.length > MAX_ID_LENGTH) return undefined;
    const session = sealedSession.safeParse(this.#seal.open(id)).data;
    if (session === undefined) return undefined;
    const { i, u, n, v, t, c, p, e } = session;
    return {
      key: i,
      expiresAt: e * SECOND_MS,
      initialize: {
        protocolVersion: p,
        capabilities: c,
        clientInfo: { name: n, version: v, ...(t === undefined ? {} : { title: t }) },
      },
      belongsTo: (user) => u === digestOf(user),
    };
  }
}

function clientOf({ name, version, title }: Implementation, maxCodePoints: number) {
  const cut = (text: string) => firstCodePoints(text, maxCodePoints);
  return { n: cut(name), v: cut(version), ...(title === undefined ? {} : { t: cut(title) }) };
}

/** The capabilities that core uses, without what a client adds to them. */
function namesOnly(capabilities: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = ['elicitation', 'roots', 'sampling'].filter((name) => name in capabilities);
  return Object.fromEntries(known.map((name) => [name, {}]));
}

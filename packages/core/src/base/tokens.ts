import { createHash, randomBytes } from 'node:crypto';
import { StartError } from '../errors/index.ts';
import { quoted } from '../text/index.ts';
import { type Clock, systemClock } from './clock.ts';

/** A token without its secret, which only its client has. Times are ISO 8601 in UTC. */
export interface TokenRecord {
  readonly name: string;
  /** Absent: the owner of the server. */
  readonly user?: string | undefined;
  readonly sha256: string;
  readonly created: string;
  /** The last use, exact to the hour, if it is stored. */
  readonly used?: string | undefined;
}

/** Where the tokens of a server are. */
export interface StoredTokens<Stored extends TokenRecord = TokenRecord> {
  /** @throws StartError if the place cannot be trusted, UserError if it does not answer */
  read(): Promise<readonly Stored[]>;
  /**
   * Replaces the tokens while no other program does.
   *
   * @param change may be called again; nothing changes if it throws
   * @returns what `change` answers
   */
  change<Answer>(change: TokenChange<Stored, Answer>): Promise<Answer>;
  /** Notes that a token is used. */
  noteUse?(sha256: string): Promise<void>;
}

export type TokenChange<Stored extends TokenRecord, Answer> = (tokens: readonly Stored[]) => {
  readonly tokens: readonly Stored[];
  readonly answer: Answer;
};

const TOKEN_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;

/** The tokens of clients and users besides the main one. They are stored as digests only. */
export class TokenStore<Stored extends TokenRecord = TokenRecord> {
  readonly stored: StoredTokens<Stored>;
  readonly #command: string;
  readonly #clock: Pick<Clock, 'now'>;

  /** @param command for errors: `deskside token` */
  constructor(stored: StoredTokens<Stored>, command: string, clock: Pick<Clock, 'now'> = systemClock) {
    this.stored = stored;
    this.#command = command;
    this.#clock = clock;
  }

  list(): Promise<readonly Stored[]> {
    return this.stored.read();
  }

  /** @throws StartError for a name that does not exist */
  async get(name: string): Promise<Stored> {
    return findToken(await this.stored.read(), name);
  }

  /**
   * @returns the token, which cannot be read again
   * @throws StartError for an invalid name or one that exists
   */
  async create(fields: Omit<Stored, 'sha256' | 'created' | 'used'>): Promise<string> {
    const { name } = fields;
    checkTokenName(name);
    return this.stored.change((tokens) => {
      const rotate = `${this.#command} rotate ${name}`;
      if (tokens.some((token) => token.name === name))
        throw new StartError(`A token "${name}" exists. Use "${rotate}" to replace it.`);
      const secret = newToken();
      // The type cannot know that the other fields complete it.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const created = { ...fields, ...this.#stamp(secret) } as Stored;
      return { tokens: [...tokens, created], answer: secret };
    });
  }

  /** @throws StartError for a name that does not exist */
  revoke(name: string): Promise<void> {
    return this.stored.change((tokens) => {
      const revoked = findToken(tokens, name);
      return { tokens: tokens.filter((token) => token !== revoked), answer: undefined };
    });
  }

  /**
   * Replaces the secret of a token; the old one is rejected from then on.
   *
   * @throws StartError for a name that does not exist
   */
  rotate(name: string): Promise<string> {
    return this.stored.change((tokens) => {
      const rotated = findToken(tokens, name);
      const secret = newToken();
      const next = { ...rotated, ...this.#stamp(secret) };
      return { tokens: tokens.map((token) => (token === rotated ? next : token)), answer: secret };
    });
  }

  #stamp(secret: string) {
    return { sha256: tokenDigest(secret), created: this.#clock.now().toISOString() };
  }
}

/** @throws StartError for an invalid name */
export function checkTokenName(name: string): void {
  if (TOKEN_NAME.test(name)) return;
  throw new StartError(`Invalid token name ${quoted(name)}. Use 1 to 32 letters, digits, "_" and "-".`);
}

export function tokenDigest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** 256 bits. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The prefix lets scanners find a token that was published by mistake. */
function newToken(): string {
  return `deskside_${newSecret()}`;
}

function findToken<Stored extends TokenRecord>(tokens: readonly Stored[], name: string): Stored {
  const found = tokens.find((token) => token.name === name);
  if (found !== undefined) return found;
  const names = tokens.map((token) => token.name).join(', ');
  throw new StartError(`No token ${quoted(name)} exists. Tokens: ${names === '' ? 'none' : names}.`);
}

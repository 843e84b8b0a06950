import { createHash, randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { type Clock, systemClock } from '@deskside/core/base';
import { StartError } from '@deskside/core/errors';
import * as z from 'zod';
import { PrivateJson } from '../files/private-json.ts';
import { type ApprovalLevel, LEVELS } from '../profiles/profile.ts';

const record = z.object({
  name: z.string(),
  /** Absent: the user at the desk. */
  user: z.string().optional(),
  profile: z.string().optional(),
  /** Absent: that of the profile, else every call asks. */
  approvals: z.enum(LEVELS).optional(),
  sha256: z.string(),
  created: z.string(),
});
const content = z.object({ tokens: z.array(record) });

/** A token without its secret, which only its client has. */
export type TokenRecord = z.output<typeof record>;

const TOKEN_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;

export interface NewToken {
  readonly name: string;
  readonly user?: string | undefined;
  readonly profile?: string | undefined;
  readonly approvals?: ApprovalLevel | undefined;
}

/** The tokens of other clients and users, in one file that contains digests only. */
export class TokenStore {
  readonly #stored: PrivateJson<z.output<typeof content>>;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(file: string, clock: Pick<Clock, 'now'> = systemClock) {
    this.#stored = new PrivateJson(file, content, { tokens: [] }, 'The token file');
    this.#clock = clock;
  }

  /** @throws StartError if the file cannot be used, or if other users can read or change it */
  async list(): Promise<readonly TokenRecord[]> {
    return (await this.#stored.read()).tokens;
  }

  /** Changes if the file changes. */
  async version(): Promise<string> {
    try {
      const { ino, mtimeMs, size, mode } = await stat(this.#stored.file);
      return [ino, mtimeMs, size, mode].join(' ');
    } catch {
      return '';
    }
  }

  /**
   * @returns the token, which cannot be read again
   * @throws StartError for an invalid name or one that exists
   */
  create({ name, user, profile, approvals }: NewToken): Promise<string> {
    if (!TOKEN_NAME.test(name)) {
      throw new StartError(`Invalid token name "${name}". Use 1 to 32 letters, digits, "_" and "-".`);
    }
    return this.#stored.change(({ tokens }) => {
      if (tokens.some((token) => token.name === name)) {
        throw new StartError(`A token "${name}" exists. Use "deskside token rotate ${name}" to replace it.`);
      }
      const secret = newSecret();
      const created = {
        name,
        ...(user === undefined ? {} : { user }),
        ...(profile === undefined ? {} : { profile }),
        ...(approvals === undefined ? {} : { approvals }),
        sha256: digestOf(secret),
        created: this.#clock.now().toISOString(),
      };
      return { value: { tokens: [...tokens, created] }, answer: secret };
    });
  }

  /** @throws StartError for a name that does not exist */
  revoke(name: string): Promise<void> {
    return this.#stored.change(({ tokens }) => {
      findToken(tokens, name);
      return { value: { tokens: tokens.filter((token) => token.name !== name) }, answer: undefined };
    });
  }

  /**
   * Replaces the secret of a token; the old one is rejected from then on.
   *
   * @throws StartError for a name that does not exist
   */
  rotate(name: string): Promise<string> {
    return this.#stored.change(({ tokens }) => {
      const rotated = findToken(tokens, name);
      const secret = newSecret();
      const next = { ...rotated, sha256: digestOf(secret), created: this.#clock.now().toISOString() };
      return {
        value: { tokens: tokens.map((token) => (token === rotated ? next : token)) },
        answer: secret,
      };
    });
  }
}

export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** The prefix lets scanners find a token that was published by mistake. */
function newSecret(): string {
  return `deskside_${randomBytes(32).toString('base64url')}`;
}

function findToken(tokens: readonly TokenRecord[], name: string): TokenRecord {
  const found = tokens.find((token) => token.name === name);
  if (found !== undefined) return found;
  const names = tokens.map((token) => token.name).join(', ');
  throw new StartError(`No token "${name}" exists. Tokens: ${names === '' ? 'none' : names}.`);
}

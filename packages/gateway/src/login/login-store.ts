import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { allNamesIn, replaceFile, systemClock } from '@deskside/core/base';
import { folders } from '@deskside/core/program';
import { messageOf, StartError } from '@deskside/core/errors';
import type { AuthorizationServerMetadata, OAuthTokens } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { whileLocked } from '@deskside/desktop';
import { withoutUndefined } from '../config/tables.ts';
import { privateText, storedTime } from '../files/private-json.ts';

/** Strict: a field that is not known may limit the login. */
const stored = z.strictObject({
  /** The URL of the MCP server. */
  server: z.string(),
  /** The authorization server: what it has issued is sent to no other one. */
  issuer: z.string(),
  /** What the tokens are for, as the server calls itself. */
  resource: z.string().optional(),
  metadata: z.custom<AuthorizationServerMetadata>((value) => typeof value === 'object').optional(),
  client: z.looseObject({ client_id: z.string(), client_secret: z.string().optional() }),
  tokens: z
    .object({
      access: z.string(),
      refresh: z.string().optional(),
      scope: z.string().optional(),
      /** Undefined: the server does not say. */
      expires: storedTime.optional(),
    })
    .optional(),
  /** The process that renews it now, and since when. */
  renewing: z.object({ owner: z.string(), since: storedTime }).optional(),
  /** The scopes that the server has demanded since; empty if it did not name them. */
  lacks: z.string().optional(),
  since: storedTime,
});

/** A login at one server with one authorization server. */
export type StoredLogin = z.output<typeof stored>;
type LoginPlace = Pick<StoredLogin, 'server' | 'issuer'>;

const MAX_LOGIN_BYTES = 256 * 1024;
const DIGEST_CHARACTERS = 16;

/** The logins of one user. One file per server and authorization server. */
export class LoginStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The logins of another user of the desk. */
  of(user: string): LoginStore {
    return new LoginStore(join(this.#folder, `user-${shortDigest(user)}`));
  }

  now(): Date {
    return systemClock.now();
  }

  /**
   * The last login at a server.
   *
   * @param server its URL; undefined: any that had this id
   * @throws StartError if a file cannot be used, or if other users can read it
   */
  async find(id: string, server?: string): Promise<StoredLogin | undefined> {
    const all = await Promise.all(this.#files(id).map((file) => readLogin(file)));
    const own = all.filter(
      (login) => login !== undefined && (server === undefined || login.server === server),
    );
    return own.toSorted((a, b) => String(b?.since).localeCompare(String(a?.since)))[0];
  }

  /** Does work while no other process changes the login. */
  whileLocked<T>(id: string, login: LoginPlace, work: () => Promise<T>): Promise<T> {
    return whileLocked(this.#file(id, login), work);
  }

  async save(id: string, login: StoredLogin): Promise<void> {
    await replaceFile(this.#file(id, login), `${JSON.stringify(login, null, 2)}\n`);
  }

  async remove(id: string, login: LoginPlace): Promise<void> {
    await rm(this.#file(id, login), { force: true });
  }

  /** @returns the logins that were deleted; undefined for one that could not be read */
  async removeAll(id: string): Promise<readonly (StoredLogin | undefined)[]> {
    return Promise.all(this.#files(id).map(removed));
  }

  /** What the file has of tokens. */
  tokensOf({ access_token: access, refresh_token: refresh, scope, expires_in: seconds = 0 }: OAuthTokens) {
    const end = new Date(this.now().getTime() + seconds * 1000);
    // Some servers send 0, null or a number beyond all dates for a token without an end.
    const expires = seconds > 0 && !Number.isNaN(end.getTime()) ? end.toISOString() : undefined;
    return withoutUndefined({ access, refresh, scope, expires });
  }

  /** Ids have no hyphen. @throws StartError for a folder that cannot be read */
  #files(id: string): readonly string[] {
    const own = allNamesIn(this.#folder).filter(
      (name) => name.startsWith(`${id}-`) && name.endsWith('.json'),
    );
    return own.map((name) => join(this.#folder, name));
  }

  #file(id: string, { server, issuer }: LoginPlace): string {
    return join(this.#folder, `${id}-${shortDigest(`${server}\n${issuer}`)}.json`);
  }
}

function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARACTERS);
}

/** @param user default: the user at the desk */
export function loginStore(user?: string): LoginStore {
  const own = new LoginStore(join(folders().data, 'logins'));
  return user === undefined ? own : own.of(user);
}

async function readLogin(file: string): Promise<StoredLogin | undefined> {
  try {
    const text = await privateText(file, MAX_LOGIN_BYTES);
    return text === undefined ? undefined : stored.parse(JSON.parse(text));
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`The login ${file} cannot be used. Delete it, and log in again.`, {
      cause: messageOf(error),
    });
  }
}

/** A file that cannot be read is deleted, too. */
function removed(file: string): Promise<StoredLogin | undefined> {
  const remove = async () => {
    // It is of no use, and goes.
    const login = await readLogin(file).catch(() => undefined);
    await rm(file, { force: true });
    return login;
  };
  return whileLocked(file, remove);
}

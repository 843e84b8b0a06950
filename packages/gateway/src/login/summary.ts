import { localDateTime } from '@deskside/core/dates';
import { StartError } from '@deskside/core/errors';
import type { ExternalServer } from '../config/external.ts';
import { hasReference } from '../config/secrets.ts';
import { loginVariable } from './server-login.ts';
import { loginStore, type StoredLogin } from './login-store.ts';

/** What people read about the logins at servers, by their ids. A server without a login has no text. */
export async function loginTexts(
  servers: Readonly<Record<string, ExternalServer>>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ReadonlyMap<string, string>> {
  const store = loginStore();
  const texts = await Promise.all(
    Object.entries(servers).map(async ([id, server]): Promise<readonly [string, string | undefined]> => {
      if (!('url' in server)) return [id, undefined];
      const variable = loginVariable(id);
      if (env[variable]) return [id, `Logged in by ${variable}.`];
      // A reference is looked up only when the server starts.
      try {
        const login = await store.find(id, hasReference(server.url) ? undefined : server.url);
        return [id, login && textOf(id, login, store.now())];
      } catch (error) {
        if (!(error instanceof StartError)) throw error;
        return [id, error.message];
      }
    }),
  );
  return new Map(texts.flatMap(([id, text]) => (text === undefined ? [] : [[id, text] as const])));
}

function textOf(id: string, { tokens, lacks, since }: StoredLogin, now: Date): string {
  const again = `Run "deskside login ${id}".`;
  if (tokens === undefined) return `The login has ended. ${again}`;
  const { expires, refresh } = tokens;
  const isOver = expires !== undefined && Date.parse(expires) <= now.getTime() && refresh === undefined;
  if (isOver) return `The login has ended. ${again}`;
  const until = expires === undefined ? '' : `, until ${localDateTime(new Date(expires))}`;
  const renewed = refresh === undefined ? '' : ', then renewed';
  const more = lacks === undefined ? '' : ` It lacks rights. ${again}`;
  return `Logged in since ${localDateTime(new Date(since))}${until}${expires === undefined ? '' : renewed}.${more}`;
}

import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog, serve } from '@deskside/core';
import {
  clientConfiguration,
  type Command,
  defineCommand,
  folders,
  listenOptions,
  loadOrCreateToken,
  ownProcess,
  serverSecret,
} from '@deskside/core/cli';
import { messageOf } from '@deskside/core/errors';
import { type AttachServer, type AttachServerOptions, openAttachServer } from '../attach/attach-server.ts';
import type { Self } from '../attach/self.ts';
import { settingsOf } from '../attach/variables.ts';
import { type Desk, openDesk } from '../desk.ts';
import { MOUNT_VARIABLES } from '../mounts/built-in.ts';
import { mountFields } from '../mounts/mount.ts';
import { httpOptions } from '../options.ts';
import { tokenAuthentication } from '../tokens/authenticate.ts';
import { tokenFile, tokenStore } from './token.ts';

/** A desk that also serves HTTP. */
export const http = (self: Self): Command =>
  defineCommand({
    options: httpOptions,
    details: MOUNT_VARIABLES,
    examples: ['deskside http', 'deskside http --port 3334'],
    async run(
      { token: given, secret: givenSecret, logLevel, config, mounts, noMounts, ...listen },
      { env, write, print, note },
    ) {
      const token = given ?? (await loadOrCreateToken(tokenFile()));
      const secret = await serverSecret({ secret: givenSecret, token: given });
      const log = createLog({ level: logLevel, write });
      const desk = await openDesk({ config, mounts, noMounts }, { env, log });
      const serving = await serve(desk.aggregator.routes, {
        user: desk.user,
        log,
        ownsProcess: false,
        http: {
          ...listenOptions(listen, token),
          auth: tokenAuthentication({ user: desk.user, token }, tokenStore(), log),
        },
        // Without a secret file, replicas agree on what the token derives.
        secret: secret ?? token,
      }).catch(async (error: unknown) => {
        await desk[Symbol.asyncDispose]();
        throw error;
      });
      const { url = '', networkUrl } = serving;
      const attaching = {
        self,
        settings: settingsOf(env),
        user: desk.user,
        log,
        aggregator: desk.aggregator,
        secret,
        url,
      };
      const close = async () => {
        await Promise.all([serving.close(), clients?.close()]);
      };
      const clients = await openForClients({ ...attaching, onStop: close }, note);
      const closed = Promise.all([serving.closed, clients?.closed]).then(() => desk[Symbol.asyncDispose]());
      ownProcess({ closed: serving.closed, close }, closed, log, { rejectionFields: mountFields });
      print(await addresses(desk, url));
      if (networkUrl !== undefined) print(`Other machines reach it at ${networkUrl}`);
      if (given !== undefined) print('Clients send the bearer token in DESKSIDE_TOKEN.');
      else print(await tokenText(url, token, `${invokedAs(env)} token show`));
    },
  });

/** Serves attached clients, too. Without that, HTTP works all the same. */
async function openForClients(
  options: Omit<AttachServerOptions, 'data' | 'isExplicit'>,
  note: (line: string) => void,
): Promise<AttachServer | undefined> {
  try {
    const server = await openAttachServer({ ...options, data: folders().data, isExplicit: true });
    if (server === undefined) note('Another desk serves the clients of "deskside stdio".');
    return server;
  } catch (error) {
    note(`Clients of "deskside stdio" cannot attach: ${messageOf(error)}`);
    return undefined;
  }
}

async function addresses({ aggregator, notes }: Desk, url: string): Promise<string> {
  const states = await aggregator.mountStates();
  const lines = states
    .filter(({ state }) => state === 'ready')
    .map(({ id, tools }) => `  ${id.padEnd(10)} ${url}/${id}  (${tools} ${tools === 1 ? 'tool' : 'tools'})`);
  return [`Deskside serves MCP at ${url}`, ...lines, ...(await notes()), ''].join('\n');
}

/**
 * The whole configuration on the first successful start, later only where the token is.
 *
 * @param command prints the token, for example `deskside token show`
 */
async function tokenText(url: string, token: string, command: string): Promise<string> {
  if (await hasPrintedToken(token))
    return `Clients send the bearer token in ${tokenFile()}. To print it: ${command}`;
  return [
    'Deskside created a bearer token. Configuration for a client, printed only once:',
    '',
    clientConfiguration('deskside', url, token),
    '',
    `The token is stored in ${tokenFile()}. To print it: ${command}`,
  ].join('\n');
}

/**
 * Whether an earlier start printed this token; false on the first call for a token. The age of the token file does
 * not tell: another Deskside program may have created it, or a start that failed.
 */
async function hasPrintedToken(token: string): Promise<boolean> {
  const folder = folders().data;
  const file = join(folder, 'token-shown');
  const mark = `${createHash('sha256').update(token).digest('hex')}\n`;
  if ((await readFile(file, 'utf8').catch(() => undefined)) === mark) return true;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(file, mark, { mode: 0o600 }).catch(() => undefined);
  return false;
}

/** The words that start this program again. With `npx` or in a clone there is no command `deskside` on the path. */
function invokedAs(env: Readonly<Record<string, string | undefined>>): string {
  const { npm_lifecycle_event: script, npm_package_name: owner } = env;
  if (script === 'npx') return 'npx @deskside/aggregator';
  return script === 'start' && owner === 'deskside' ? 'npm start --' : 'deskside';
}

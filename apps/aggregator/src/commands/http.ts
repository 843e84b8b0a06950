import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '@deskside/core';
import { serve } from '@deskside/core/serving';
import {
  type Command,
  defineCommand,
  folders,
  listenOptions,
  loadOrCreateToken,
  ownProcess,
  serverSecret,
} from '@deskside/core/program';
import { messageOf, unlessStartFails } from '@deskside/core/errors';
import { CLEANUP_MS } from '@deskside/log-notify';
import { type AttachServer, type AttachServerOptions, openAttachServer } from '../attach/attach-server.ts';
import { type Self, thisPlace, invocationOf } from '@deskside/connect';
import { settingsOf } from '../attach/variables.ts';
import { type Desk, openDesk } from '../open-desk.ts';
import { MOUNT_VARIABLES } from '../mounts/built-in.ts';
import { mountFields } from '@deskside/gateway';
import { httpOptions } from '../options.ts';
import { suggestions } from './connect.ts';
import { deskAuthentication, tokenFile } from '../tokens/places.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A desk that also serves HTTP. */
export const http = (self: Self): Command =>
  defineCommand({
    options: httpOptions,
    details: MOUNT_VARIABLES,
    examples: ['deskside http', 'deskside http --port 3334', 'deskside http --demo'],
    async run(
      { token: given, secret: givenSecret, logLevel, config, mounts, noMounts, demo, ...listen },
      { env, write, print, note },
    ) {
      const token = given ?? (await loadOrCreateToken(tokenFile()));
      // Without a secret file, replicas agree on what the token derives.
      const secret = (await serverSecret({ secret: givenSecret, token: given })) ?? token;
      const log = createLog({ level: logLevel, write });
      const attached: { server?: AttachServer | undefined } = {};
      const context = { env, log, clientPath: () => attached.server?.path() };
      const desk = await openDesk({ config, mounts, noMounts, demo }, context);
      const serving = await serve(desk.aggregator.routes, {
        user: desk.user,
        log,
        ownsProcess: false,
        http: listenOptions(listen, deskAuthentication({ user: desk.user, token }, log)),
        secret,
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
        page: desk.page,
        secret,
        url,
      };
      const close = async () => {
        await Promise.all([serving.close(), clients?.close()]);
      };
      const clients = await openForClients({ ...attaching, onStop: close }, note);
      attached.server = clients;
      const closed = Promise.all([serving.closed, clients?.closed]).then(() => undefined);
      const cleanedUp = closed.then(() => desk[Symbol.asyncDispose]());
      ownProcess({ closed, close }, cleanedUp, log, { rejectionFields: mountFields, cleanupMs: CLEANUP_MS });
      print(await addresses(desk, url));
      if (networkUrl !== undefined) print(`Other machines reach it at ${networkUrl}`);
      if (given !== undefined) print('Clients send the bearer token in DESKSIDE_TOKEN.');
      else print(await connectionText(self, env));
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

/** How to connect clients, on the first successful start; later only where the token is. */
async function connectionText(self: Self, env: Environment): Promise<string> {
  const { typed } = invocationOf(self, env);
  const token = `Clients send the bearer token in ${tokenFile()}. To print it: ${typed} token show`;
  const page = `To see what needs you and what happens: ${typed} open`;
  const both = `${page}\n${token}`;
  return (await isFirstStart()) ? [...suggestionsFor(self, env), '', both].join('\n') : both;
}

/** A user without a home folder has no clients. */
function suggestionsFor(self: Self, env: Environment): readonly string[] {
  return unlessStartFails(
    () => suggestions(thisPlace(env), self),
    () => [],
  );
}

/** True once per user. The token file does not tell: another Deskside program may have created it. */
async function isFirstStart(): Promise<boolean> {
  try {
    await writeFile(join(folders().data, 'first-start'), '', { mode: 0o600, flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

import { createLog } from '@deskside/core';
import { serve } from '@deskside/core/serving';
import {
  type Command,
  defineCommand,
  listenOptions,
  loadOrCreateToken,
  serverSecret,
} from '@deskside/core/program';
import { messageOf, unlessStartFails } from '@deskside/core/errors';
import { connectedClients, invocationOf, type Self, thisPlace } from '@deskside/connect';
import type { Desk } from '../open-desk.ts';
import { MOUNT_VARIABLES } from '../mounts/built-in.ts';
import { httpOptions } from '../options.ts';
import { suggestions } from './connect.ts';
import { openForClients } from './desk.ts';
import { deskAuthentication, tokenFile } from '../tokens/tokens.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A desk that also serves HTTP. */
export const http = (self: Self): Command =>
  defineCommand({
    options: httpOptions,
    details: MOUNT_VARIABLES,
    examples: ['deskside http', 'deskside http --port 3334', 'deskside http --demo'],
    async run({ token: given, secret: givenSecret, logLevel, ...settings }, { env, write, print, note }) {
      const token = given ?? (await loadOrCreateToken(tokenFile()));
      // Without a secret file, replicas agree on what the token derives.
      const secret = (await serverSecret({ secret: givenSecret, token: given })) ?? token;
      const log = createLog({ level: logLevel, write });
      const { desk: opened, ...process } = await openForClients(self, settings, env, log);
      const serving = await serve(opened.aggregator.routes, {
        user: opened.user,
        log,
        ownsProcess: false,
        http: listenOptions(settings, deskAuthentication({ user: opened.user, token }, log)),
        secret,
      }).catch(async (error: unknown) => {
        await opened[Symbol.asyncDispose]();
        throw error;
      });
      const { url = '', networkUrl } = serving;
      const close = async () => {
        await Promise.all([serving.close(), process.clients()?.close()]);
      };
      // Without them, HTTP works all the same.
      const clients = await process
        .attach({ isExplicit: true, secret, url, onStop: close })
        .catch((error: unknown) => {
          note(`Clients of "deskside stdio" cannot attach: ${messageOf(error)}`);
          return null;
        });
      if (clients === undefined)
        note(
          'Another desk serves the clients of "deskside stdio". Run "deskside stop", then start this one again.',
        );
      const closed = Promise.all([serving.closed, clients?.closed]).then(() => undefined);
      process.own({ closed, close });
      print(await addresses(opened, url));
      if (networkUrl !== undefined) print(`Other machines reach it at ${networkUrl}`);
      if (given !== undefined) print('Clients send the bearer token in DESKSIDE_TOKEN.');
      else print(await connectionText(self, env));
    },
  });

async function addresses({ aggregator, notes }: Desk, url: string): Promise<string> {
  const states = await aggregator.mountStates();
  const lines = states
    .filter(({ state }) => state === 'ready')
    .map(({ id, tools }) => `  ${id.padEnd(10)} ${url}/${id}  (${tools} ${tools === 1 ? 'tool' : 'tools'})`);
  return [`Deskside serves MCP at ${url}`, ...lines, ...(await notes()), ''].join('\n');
}

/** How to connect clients, until one is connected; then only where the token is. */
async function connectionText(self: Self, env: Environment): Promise<string> {
  const { typed } = invocationOf(self, env);
  const token = `Clients send the bearer token in ${tokenFile()}. To print it: ${typed} token show`;
  const page = `To see what needs you and what happens: ${typed} open`;
  const both = `${page}\n${token}`;
  // A record that cannot be read was of a client, too.
  const isConnected = await connectedClients().then(
    (clients) => clients.length > 0,
    () => true,
  );
  if (isConnected) return both;
  // A user without a home folder has no clients.
  const found = unlessStartFails(() => suggestions(thisPlace(env), self)) ?? [];
  return [...found, '', both].join('\n');
}

import { platform } from 'node:os';
import { type CommandContext, defineCommand } from '@deskside/core/program';
import { StartError } from '@deskside/core/errors';
import { quoted } from '@deskside/core/text';
import { openInBrowser } from '@deskside/desktop';
import type { ExternalServer, SecretSources } from '@deskside/gateway/config';
import { configured, logIn, loginStore, revoke, useNetworkOf, withLogin } from '@deskside/gateway/servers';
import * as z from 'zod';
import { loadConfig } from '../config/load.ts';
import { configOptions } from '../options.ts';
import { type Questions, questions } from './confirm.ts';
import { otherUser } from './token.ts';

const asFlag = {
  as: z.string().trim().min(1).optional().meta({
    placeholder: 'USER',
    description: 'User whose login it is, as in "deskside token create --user". Default: you.',
  }),
};

export const login = defineCommand({
  options: configOptions,
  flags: {
    browser: z.boolean().default(true).meta({
      description: 'Open the browser. --no-browser only prints the address.',
    }),
    ...asFlag,
    clientId: z.string().min(1).optional().meta({
      placeholder: 'ID',
      description:
        'Client that you have registered at the server, or the https address of a client id document. Default: client_id of deskside.toml, else the server registers a new one.',
    }),
  },
  operands: 'NAME',
  details:
    'Opens the login of a server of mcpServers in the browser, and stores its tokens in a private file. A running desk uses them at once and renews them. For another user only the address is printed: it belongs in their browser.',
  examples: ['deskside login linear', 'deskside login linear --no-browser'],
  async run({ config: given, browser, clientId, as }, context) {
    const [id = ''] = context.operands;
    const loaded = await loadConfig(given);
    const server = new Map(Object.entries(loaded?.config.external ?? {})).get(id);
    if (loaded === undefined || server === undefined) {
      const names = Object.keys(loaded?.config.external ?? {});
      const known = names.length === 0 ? 'Add it with "deskside add".' : `Servers: ${names.join(', ')}.`;
      throw new StartError(`There is no accepted server ${quoted(id)}. ${known}`);
    }
    useNetworkOf(context.env);
    await using ask = questions('deskside login', context, false);
    const sources = { env: context.env, folder: loaded.places.folder };
    const user = await otherUser(as, context, loaded);
    const isPrinted = !browser || user !== undefined;
    await loginInBrowser({ id, server, sources, clientId, user, isPrinted }, context, ask);
  },
});

export const logout = defineCommand({
  options: configOptions,
  flags: asFlag,
  operands: 'NAME',
  details:
    'Deletes the stored login of a server, and tells its authorization server that the tokens have ended.',
  examples: ['deskside logout linear'],
  async run({ config: given, as }, context) {
    const { operands, print } = context;
    const [id = ''] = operands;
    // Without --as, it works beside a file that cannot be read.
    const user = as && (await otherUser(as, context, await loadConfig(given)));
    const logins = await loginStore(user).removeAll(id);
    const whose = user === undefined ? '' : ` of ${quoted(user)}`;
    if (logins.length === 0) throw new StartError(`There is no login${whose} at ${quoted(id)}.`);
    const ended = await Promise.all(logins.map(async (login) => login !== undefined && revoke(login)));
    print(`${user === undefined ? 'You are' : `${user} is`} logged out of ${id}.`);
    if (ended.includes(false)) {
      print(
        'Its authorization server was not told, or did not accept that. End the access of Deskside in your account there, too.',
      );
    }
  },
});

interface BrowserLogin {
  readonly id: string;
  readonly server: ExternalServer;
  readonly sources: SecretSources;
  readonly clientId?: string | undefined;
  /** Another user of the desk. */
  readonly user?: string | undefined;
  /** The person opens the address. */
  readonly isPrinted: boolean;
}

/** Logs in at a server with the browser of the person, who may also paste where a browser elsewhere has ended. */
export async function loginInBrowser(
  { id, server, sources, clientId, user, isPrinted }: BrowserLogin,
  { print, env }: Pick<CommandContext, 'print' | 'env'>,
  ask: Pick<Questions, 'line'>,
): Promise<void> {
  const address = await withLogin(id, configured(server, sources), { env }).server();
  if (!('url' in address)) throw new StartError(`${id} is a command. Only a server with a URL has a login.`);
  if (address.login === undefined) {
    throw new StartError(`${id} has an Authorization header. Remove it from deskside.toml first.`);
  }
  const hasBrowser = !isPrinted && hasDesktop(env);
  await logIn({
    id,
    server: address.url,
    headers: address.headers,
    store: loginStore(user),
    client: clientId === undefined ? address.client : { id: clientId },
    show({ href }) {
      print(
        `${hasBrowser ? 'The browser opens. If it does not, open' : 'Open'} this address, and log in:\n${href}`,
      );
      print('If the browser is on another machine, paste the address at which it ends here.');
      if (hasBrowser) void openInBrowser({ platform: platform(), env }, href);
    },
    pasted: ask.line(),
  });
  print(`${user === undefined ? 'You are' : `${user} is`} logged in to ${id}.`);
}

function hasDesktop(env: SecretSources['env']): boolean {
  if (env['SSH_CONNECTION'] !== undefined) return false;
  return platform() !== 'linux' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
}

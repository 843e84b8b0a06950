import { defineCommand } from '@deskside/core/program';
import { StartError } from '@deskside/core/errors';
import * as z from 'zod';
import { loadConfig } from '../config/load.ts';
import { revoke, loginStore, useNetworkOf } from '@deskside/gateway/servers';
import { configOptions } from '../options.ts';
import { loginInBrowser } from './browser-login.ts';
import { questions } from './confirm.ts';
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
    const server = loaded?.config.external[id];
    if (loaded === undefined || server === undefined) {
      const names = Object.keys(loaded?.config.external ?? {});
      const known = names.length === 0 ? 'Add it with "deskside add".' : `Servers: ${names.join(', ')}.`;
      throw new StartError(`There is no accepted server "${id}". ${known}`);
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
    if (logins.length === 0)
      throw new StartError(`There is no login${user === undefined ? '' : ` of ${user}`} at ${id}.`);
    const ended = await Promise.all(logins.map(async (login) => login !== undefined && revoke(login)));
    print(`${user === undefined ? 'You are' : `${user} is`} logged out of ${id}.`);
    if (ended.includes(false)) {
      print(
        'Its authorization server was not told, or did not accept that. End the access of Deskside in your account there, too.',
      );
    }
  },
});

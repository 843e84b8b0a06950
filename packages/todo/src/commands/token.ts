import { type TokenRecord, TokenStore } from '@deskside/core/base';
import type { CommandContext, CommandEntry } from '@deskside/core/program';
import { localDateTime } from '@deskside/core/dates';
import { escapeInvisible } from '@deskside/core/text';
import { alignedLines, printResult, type Screen } from './table.ts';
import { jsonFlag, type StoreContext, storeCommand } from './store-command.ts';

/**
 * The tokens are in the database, not in a file as those of the desk: there all replicas and all processes of a file find
 * them, a server in a container needs no folder, and who reaches the database reaches the tasks anyway.
 */
const create = storeCommand('token', {
  operands: 'NAME',
  details:
    'The token is printed once; only its digest is stored, in the database. All servers of the database accept it at once with --http; calls with it are those of --user.',
  examples: ['deskside-todo token create laptop', 'deskside-todo token create phone --user anna'],
  async run(_values, context) {
    const { user } = context.caller;
    const [name = ''] = context.operands;
    announce(await tokensIn(context).create({ name, user }), context);
    context.note(`Calls with it see the tasks of ${escapeInvisible(user)}.`);
  },
});

const list = storeCommand('token', {
  flags: jsonFlag,
  details: 'Prints name, user, day of creation and last use of each token, exact to the hour.',
  examples: ['deskside-todo token list'],
  async run({ json }, context) {
    const tokens = await tokensIn(context).list();
    const lines = (screen: Screen) => alignedLines(tokens.map(cellsOf), screen);
    const none = 'No tokens besides the main one. The command "token create laptop" creates one.';
    printResult({ json, value: tokens.map(({ sha256: _, ...token }) => token), lines, none }, context);
  },
});

const rotate = storeCommand('token', {
  operands: 'NAME',
  details:
    'Replaces a token; running servers reject the old one within a second. For a change without a gap, create a second token, and revoke the old one later.',
  examples: ['deskside-todo token rotate laptop'],
  async run(_values, context) {
    const [name = ''] = context.operands;
    announce(await tokensIn(context).rotate(name), context);
  },
});

const revoke = storeCommand('token', {
  operands: 'NAME',
  details: 'Running servers reject the token within a second.',
  examples: ['deskside-todo token revoke laptop'],
  async run(_values, context) {
    const [name = ''] = context.operands;
    await tokensIn(context).revoke(name);
    context.note(`The token "${name}" is revoked.`);
  },
});

export const tokenCommands: Readonly<Record<string, CommandEntry>> = {
  create: { summary: 'Create a token of a user.', load: async () => create },
  list: { summary: 'Show the tokens.', load: async () => list },
  rotate: { summary: 'Replace a token.', load: async () => rotate },
  revoke: { summary: 'Remove a token.', load: async () => revoke },
};

function tokensIn({ store }: StoreContext): TokenStore {
  return new TokenStore(store.tokens, 'deskside-todo token');
}

function announce(token: string, { print, note }: CommandContext): void {
  print(token);
  note('Clients send it as a bearer token. It is not shown again.');
}

function cellsOf({ name, user = '', created, used }: TokenRecord): readonly string[] {
  const lastUse = used === undefined ? 'not used' : `used ${localDateTime(new Date(used))}`;
  return [name, escapeInvisible(user), localDateTime(new Date(created)), lastUse];
}

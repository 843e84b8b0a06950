import { rm } from 'node:fs/promises';
import { checkTokenName } from '@deskside/core/base';
import { choiceField, type CommandContext, defineCommand, loadOrCreateToken } from '@deskside/core/program';
import { localDateTime } from '@deskside/core/dates';
import { StartError } from '@deskside/core/errors';
import * as z from 'zod';
import { loadConfig, type LoadedConfig, unknownProfile } from '../config/load.ts';
import { openBuiltIn } from '../mounts/built-in.ts';
import { LEVELS } from '@deskside/gateway';
import { configOptions, tokenOptions } from '../options.ts';
import { questions, yesFlag } from './confirm.ts';
import { factPart } from './person.ts';
import { printRows } from './table.ts';
import { type DeskToken, MAIN_TOKEN, tokenFile, tokenStore } from '../tokens/tokens.ts';

export const tokenShow = defineCommand({
  options: tokenOptions,
  examples: ['deskside token show'],
  async run({ token }, { print }) {
    print(token ?? (await loadOrCreateToken(tokenFile())));
  },
});

export const tokenCreate = defineCommand({
  options: configOptions,
  flags: {
    user: z.string().trim().min(1).optional().meta({
      placeholder: 'ID',
      description: 'User of the token, for example whose tasks it sees. Default: you.',
    }),
    profile: z.string().min(1).optional().meta({
      placeholder: 'NAME',
      description: 'Limits the token to the mounts and tools of a profile in deskside.toml.',
    }),
    approvals: choiceField(LEVELS).optional().meta({
      placeholder: 'LEVEL',
      description:
        'Which calls of other servers ask you: ask (all that are not safe by their hints), destructive, or off. Default: that of the profile, else ask.',
    }),
    ...yesFlag,
  },
  operands: 'NAME',
  details:
    'The token is printed once; only its digest is stored. A token of another user needs a profile. The popup, the log and ManicTime are yours: another user reaches them only if the profile names them.',
  examples: ['deskside token create laptop', 'deskside token create ci --profile work'],
  async run({ user, profile, approvals, yes, config }, context) {
    const [name = ''] = context.operands;
    checkTokenName(name);
    if (name === MAIN_TOKEN)
      throw new StartError('"main" is the token of "deskside token show". Choose another name.');
    const loaded = await loadConfig(config);
    if (profile !== undefined && loaded?.config.profiles.has(profile) !== true) throw unknownProfile(profile);
    const other = await otherUser(user, context, loaded);
    if (other !== undefined && profile === undefined)
      throw new StartError(`A token of another user needs a profile. Add --profile NAME.`);
    await using ask = questions('deskside token create', context, yes, config);
    const parts = Object.entries({ user, profile, approvals }).flatMap(([about, value]) =>
      value === undefined ? [] : [factPart(about, value)],
    );
    if (!(await ask.allow({ text: `Create the token "${name}"?`, parts }))) {
      context.note('Nothing was created.');
      return 1;
    }
    const token = await tokenStore().create({ name, user: other, profile, approvals });
    announce(token, context);
    return 0;
  },
});

export const tokenList = defineCommand({
  examples: ['deskside token list'],
  async run(_, context) {
    const tokens = await tokenStore().list();
    if (tokens.length === 0)
      context.print(
        'No tokens besides that of "deskside token show". To create one: deskside token create laptop',
      );
    printRows(tokens.map(lineOf), context);
  },
});

export const tokenRevoke = defineCommand({
  operands: 'NAME',
  details: 'Running servers reject the token within a second.',
  examples: ['deskside token revoke laptop'],
  async run(_, context) {
    const [name = ''] = context.operands;
    await tokenStore().revoke(name);
    context.note(`The token "${name}" is revoked.`);
  },
});

export const tokenRotate = defineCommand({
  options: configOptions,
  flags: yesFlag,
  operands: '[NAME]',
  details:
    'Replaces a token; running servers reject the old one within a second. Without a name it replaces the main token: restart the servers to use it. You are asked if calls with the token ask you less than others.',
  examples: ['deskside token rotate laptop', 'deskside token rotate'],
  async run({ yes, config }, context) {
    const [name, other] = context.operands;
    if (other !== undefined) throw new StartError('Pass one NAME. See --help.');
    if (name === undefined) {
      await rm(tokenFile(), { force: true });
      context.print(await loadOrCreateToken(tokenFile()));
      context.note('This is the new main token. Restart the servers to use it.');
      return 0;
    }
    const level = await weakerLevel(name, config);
    if (level !== undefined) {
      await using ask = questions('deskside token rotate', context, yes, config);
      const text = `Give out a new secret of the token "${name}"?`;
      if (!(await ask.allow({ text, parts: [factPart('approvals', level)] }))) {
        context.note('Nothing was changed.');
        return 1;
      }
    }
    announce(await tokenStore().rotate(name), context);
    return 0;
  },
});

/** The level of a token whose calls ask less than every call does: who gets its secret can do more. */
async function weakerLevel(name: string, config: string | undefined): Promise<string | undefined> {
  const token = (await tokenStore().list()).find((each) => each.name === name);
  if (token === undefined) return undefined;
  const profiles = (await loadConfig(config))?.config.profiles;
  const ofProfile = token.profile === undefined ? undefined : profiles?.get(token.profile)?.approvals;
  const level = token.approvals ?? ofProfile ?? 'ask';
  return level === 'ask' ? undefined : level;
}

/** @returns undefined for the user at the desk */
export async function otherUser(
  user: string | undefined,
  { env }: CommandContext,
  loaded: LoadedConfig | undefined,
): Promise<string | undefined> {
  if (user === undefined) return undefined;
  await using opened = await openBuiltIn(env, { mounts: [], settings: loaded?.config.settings ?? {} });
  return user === opened.user ? undefined : user;
}

function announce(token: string, { print, note }: CommandContext): void {
  print(token);
  note('Clients send it as a bearer token. It is not shown again.');
}

function lineOf({ name, user = 'you', profile = 'everything', created }: DeskToken): string {
  return `${name.padEnd(20)}  ${user.padEnd(12)}  ${profile.padEnd(12)}  ${localDateTime(new Date(created))}`;
}

import { keptToken, readOptions, StartError } from '@deskside/core';
import { tokenOptions } from '../options.ts';
import type { Command } from './command.ts';
import { tokenFile } from './token-file.ts';

export const tokenShow: Command = {
  words: 'token show',
  summary: 'Print the bearer token that clients of `deskside http` send.',
  async run({ argv, env, print }) {
    const [extra] = argv;
    if (extra !== undefined) throw new StartError(`Unknown option '${extra}'. See --help.`);
    const { token } = readOptions(tokenOptions, { flags: {}, env });
    print(token ?? (await keptToken(tokenFile())));
  },
};

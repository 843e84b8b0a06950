import { keptToken, StartError } from '@deskside/core';
import type { Command } from './command.ts';
import { tokenFile } from './token-file.ts';

export const tokenShow: Command = {
  words: 'token show',
  summary: 'Print the bearer token that clients of `deskside http` send.',
  async run({ argv, env, print }) {
    const [extra] = argv;
    if (extra !== undefined) throw new StartError(`Unknown option '${extra}'. See --help.`);
    const given = env['DESKSIDE_TOKEN'] ?? '';
    print(given === '' ? (await keptToken(tokenFile())).token : given);
  },
};

import { combineOptions, defineCommand, defineOptions } from '@deskside/core/cli';
import { StartError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import { z } from 'zod';
import { accept, readTexts } from '../config/accepted.ts';
import { changesBetween } from '../config/changes.ts';
import { placesFor, read } from '../config/load.ts';
import { configOptions } from '../options.ts';
import { confirm } from './confirm.ts';

export const apply = defineCommand({
  options: combineOptions(
    configOptions,
    defineOptions('DESKSIDE', {
      yes: z.boolean().default(false).meta({ short: 'y', description: 'Do not ask. For scripts.' }),
    }),
  ),
  details:
    'Deskside runs the last accepted copy of deskside.toml. This command shows what differs from it, asks, and accepts the file. Mounts with a module run code of that package as your user.',
  examples: ['deskside apply', 'deskside apply --yes'],
  async run({ config: given, yes }, context) {
    const { print } = context;
    const places = placesFor(given);
    const { current, accepted } = await readTexts(places);
    if (current === undefined && given !== undefined) throw new StartError(`${given} does not exist.`);
    const [next, before] = [await read(current ?? ''), await read(accepted ?? '')];
    for (const { line, message } of next.problems) {
      print(escapeInvisible(`${places.file}, line ${line}: ${message}`));
    }
    if (next.problems.length > 0) throw new StartError('Nothing was applied. Correct the file.');
    const changes = changesBetween(before.config, next.config);
    for (const change of changes) print(escapeInvisible(change));
    if (changes.length === 0) print('Nothing differs from the accepted copy.');
    else if (!yes && !(await confirm('Apply these changes?', context))) {
      print('Nothing was applied.');
      return 1;
    }
    // What was shown is what is accepted, also if the file has changed meanwhile.
    if (current !== accepted) await accept(places, current);
    if (changes.length > 0) print('Applied. Restart Deskside to use it.');
    return 0;
  },
});

import { defineCommand } from '@deskside/core/cli';
import { StartError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import { dueServers } from '../acceptance/review.ts';
import { ListingStore } from '../acceptance/store.ts';
import { readTexts } from '../config/accepted.ts';
import { changesBetween } from '../config/changes.ts';
import type { DeskConfig } from '../config/desk-file.ts';
import { placesFor, read } from '../config/load.ts';
import { configOptions } from '../options.ts';

export const check = defineCommand({
  options: configOptions,
  details: 'The exit code is 1 if the file has problems. The command starts nothing and changes nothing.',
  examples: ['deskside check', 'deskside check --config ./deskside.toml'],
  async run({ config: given }, { print }) {
    const places = placesFor(given);
    const { current, accepted } = await readTexts(places);
    if (current === undefined) {
      if (given !== undefined) throw new StartError(`${given} does not exist.`);
      print(`${places.file} does not exist. Deskside runs with its defaults.`);
      return 0;
    }
    const { config, problems } = await read(current);
    for (const { line, message } of problems) {
      print(escapeInvisible(`${places.file}, line ${line}: ${message}`));
    }
    if (problems.length > 0) return 1;
    print(`${places.file}: no problems.`);
    const { length } = changesBetween((await read(accepted ?? '')).config, config);
    if (length > 0)
      print(`${length} ${length === 1 ? 'change waits' : 'changes wait'} for "deskside apply".`);
    for (const line of await waitingLines(config, new ListingStore(places.listings))) print(line);
    return 0;
  },
});

/** What servers of the file have changed since they were accepted. Starts nothing. */
async function waitingLines({ external }: DeskConfig, store: ListingStore): Promise<readonly string[]> {
  const due = await dueServers(external, store);
  return due.flatMap(({ id, waiting: { changes: { length } = [] } = {} }) =>
    length === 0
      ? [`${id} waits for "deskside apply".`]
      : [
          `${length} ${length === 1 ? 'part of' : 'parts of'} ${id} ${length === 1 ? 'waits' : 'wait'} for "deskside apply".`,
        ],
  );
}

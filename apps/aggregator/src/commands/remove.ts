import { defineCommand } from '@deskside/core/cli';
import { StartError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import { ListingStore } from '../acceptance/store.ts';
import { carryOut, DESK_TABLE, planChange } from '../clients/config-file.ts';
import { editToml, tableInToml } from '../clients/toml-file.ts';
import { accept, readTexts } from '../config/accepted.ts';
import { placesFor, read } from '../config/load.ts';
import { configOptions } from '../options.ts';
import { RESTART } from './ask-desk.ts';

export const remove = defineCommand({
  options: configOptions,
  operands: 'NAME',
  details:
    'Removes [mcpServers.NAME] from deskside.toml and forgets what was accepted of it. Comments and formatting of everything else stay.',
  examples: ['deskside remove github'],
  async run({ config: given }, { print, operands }) {
    const [id, other] = operands;
    if (id === undefined || other !== undefined) throw new StartError('Pass one NAME. See --help.');
    const places = placesFor(given);
    const { current = '', accepted } = await readTexts(places);
    const names = Object.keys(tableInToml(current, DESK_TABLE.root));
    if (!names.includes(id)) {
      const known = names.length === 0 ? 'It has none.' : `It has: ${names.join(', ')}.`;
      throw new StartError(escapeInvisible(`${places.file} has no server "${id}". ${known}`));
    }
    const change = await planChange(DESK_TABLE, places.file, id, undefined);
    await carryOut(change, true);
    if (accepted !== undefined) await accept(places, editToml(accepted, DESK_TABLE.root, id, undefined));
    await new ListingStore(places.listings).remove(id);
    print(`Removed ${id}. ${RESTART}`);
    const { problems } = await read(change.after);
    for (const { line, message } of problems) {
      print(escapeInvisible(`${places.file}, line ${line}: ${message}`));
    }
  },
});

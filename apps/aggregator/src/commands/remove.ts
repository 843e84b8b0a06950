import { defineCommand } from '@deskside/core/program';
import { escapeInvisible } from '@deskside/core/text';
import { ListingStore } from '@deskside/gateway/servers';
import { loadConfig, placesFor, read } from '../config/load.ts';
import { loginsLeft, removeServer } from './change-servers.ts';
import { configOptions } from '../options.ts';

export const remove = defineCommand({
  options: configOptions,
  operands: 'NAME',
  details:
    'Removes [mcpServers.NAME] from deskside.toml and forgets what was accepted of it. Comments and formatting of everything else stay.',
  examples: ['deskside remove github'],
  async run({ config: given }, { print, operands }) {
    const [id = ''] = operands;
    const places = placesFor(given);
    const text = await removeServer(places, id, new ListingStore(places.listings));
    print(`Removed ${id}.`);
    for (const line of await loginsLeft([id])) print(line);
    const { problems } = await read(text);
    for (const { line, message } of problems) {
      print(escapeInvisible(`${places.file}, line ${line}: ${message}`));
    }
    for (const note of (await loadConfig(given))?.notes ?? []) print(escapeInvisible(note));
  },
});

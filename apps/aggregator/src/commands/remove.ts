import { StartError } from '@deskside/core/errors';
import { defineCommand } from '@deskside/core/program';
import { escapeInvisible, quoted } from '@deskside/core/text';
import { carryOut, DESK_TABLE, editToml, planChange, serversIn } from '@deskside/connect';
import { whileLocked } from '@deskside/desktop';
import { accept, type DeskPlaces, readTexts } from '@deskside/gateway/config';
import { ListingStore, loginStore } from '@deskside/gateway/servers';
import { loadConfig, placesFor, read } from '../config/load.ts';
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
    const text = await whileLocked(places.accepted, () => removeServer(places, id));
    print(`Removed ${id}.`);
    for (const line of await loginsLeft([id])) print(line);
    const { problems } = await read(text);
    for (const { line, message } of problems) {
      print(escapeInvisible(`${places.file}, line ${line}: ${message}`));
    }
    for (const note of (await loadConfig(given))?.notes ?? []) print(escapeInvisible(note));
  },
});

/**
 * Removes a server from deskside.toml and from its accepted copy, as both are now.
 *
 * @returns the text of deskside.toml
 * @throws StartError if the file has no such server
 */
async function removeServer(places: DeskPlaces, id: string): Promise<string> {
  const names = Object.keys(await serversIn(DESK_TABLE, places.file));
  if (!names.includes(id)) {
    const known = names.length === 0 ? 'It has none.' : `It has: ${names.join(', ')}.`;
    throw new StartError(escapeInvisible(`${places.file} has no server ${quoted(id)}. ${known}`));
  }
  const change = await planChange(DESK_TABLE, places.file, id, undefined);
  await carryOut(change, true);
  const { accepted } = await readTexts(places);
  if (accepted !== undefined) await accept(places, editToml(accepted, DESK_TABLE.root, id, undefined));
  await new ListingStore(places.listings).remove(id);
  return change.after;
}

/** What people read about the logins that stay at servers that are removed. */
export async function loginsLeft(ids: readonly string[]): Promise<readonly string[]> {
  const store = loginStore();
  // One that cannot be read is there, too.
  const logins = await Promise.all(ids.map((id) => store.find(id).catch(() => true)));
  const left = ids.filter((_, index) => logins[index] !== undefined);
  return left.map((id) => `You are still logged in at ${id}. To end that: deskside logout ${id}`);
}

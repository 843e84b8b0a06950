import { defineCommand } from '@deskside/core/program';
import { escapeInvisible } from '@deskside/core/text';
import { stringify } from 'smol-toml';
import {
  CLIENTS,
  carryOut,
  DESK_TABLE,
  planChange,
  serversIn,
  clientNamed,
  thisPlace,
  importedServers,
} from '@deskside/connect';
import { readExternal, readTexts } from '@deskside/gateway/config';
import { withoutSecrets } from '../config/changes.ts';
import { placesFor, read } from '../config/load.ts';
import { whileLocked } from '@deskside/desktop';
import { BUILT_IN_IDS } from '../mounts/built-in.ts';
import { configOptions, flagField } from '../options.ts';

export const importServers = defineCommand({
  options: configOptions,
  flags: {
    dryRun: flagField('Show what would change, and change nothing.'),
  },
  operands: 'CLIENT',
  details: `Copies the servers of a client into deskside.toml: ${CLIENTS.map(({ id }) => id).join(', ')}. The file of the client is only read. The servers wait for "deskside apply".`,
  examples: ['deskside import cursor --dry-run', 'deskside import claude-code'],
  async run({ dryRun, config: given }, { env, print, operands }) {
    const [id = ''] = operands;
    const client = clientNamed(id);
    const file = client.file(thisPlace(env));
    const places = placesFor(given);
    const { config } = await read((await readTexts(places)).current ?? '');
    const taken = [...BUILT_IN_IDS, ...Object.keys(config.modules), ...Object.keys(config.external)];
    const { format, exclusions: root } = client;
    const table = await serversIn(client, file);
    // The servers could be read, so that only the form of these lists can be wrong.
    const lists = root === undefined ? {} : await serversIn({ format, root }, file).catch(() => ({}));
    const { servers, skipped } = importedServers(client, table, taken, lists, readServer);
    for (const line of skipped) print(escapeInvisible(`Left out ${line}`));
    const names = Object.keys(servers);
    const shown = Object.fromEntries(
      Object.entries(servers).map(([name, server]) => [name, withoutSecrets(server)]),
    );
    if (names.length === 0) {
      print(`Nothing to add from ${file}.`);
      return;
    }
    print(`${dryRun ? 'Would add' : 'Adding'} to ${places.file}:`);
    for (const line of stringify({ mcpServers: shown }).trimEnd().split('\n')) print(escapeInvisible(line));
    if (dryRun) return;
    await whileLocked(places.accepted, async () => {
      for (const name of names) {
        await carryOut(await planChange(DESK_TABLE, places.file, name, servers[name]), true);
      }
    });
    print('Run "deskside apply" to accept them.');
  },
});

/** @returns the problems as parts of a sentence */
function readServer(table: Readonly<Record<string, unknown>>) {
  const problems: string[] = [];
  const { server } = readExternal({ server: table }, [], (path, message) => {
    problems.push(`${path.slice(2).join('.')}: ${message}`.replace(/\.$/, ''));
  });
  return { server, problems };
}

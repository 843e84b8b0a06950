import { rm, rmdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, sep } from 'node:path';
import { silentLog } from '@deskside/core';
import {
  type Command,
  type CommandContext,
  defineCommand,
  folders,
  integerField,
} from '@deskside/core/program';
import { openUserJournal } from '@deskside/desktop';
import { messageOf, StartError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import * as z from 'zod';
import { type Self, connectedClients, connectionsFile, invocationOf } from '@deskside/connect';
import { loadConfig } from '../config/load.ts';
import { type StoredItem, storedItems, total } from '../data/stored.ts';
import { BUILT_IN_IDS } from '../mounts/built-in.ts';
import { configOptions, flagField } from '../options.ts';
import { askDesk } from './ask-desk.ts';
import { questions, yesFlag } from './confirm.ts';
import { printRows } from './table.ts';

const SERVERS = ['deskside', ...BUILT_IN_IDS];

const serverFlag = {
  server: z
    .enum(SERVERS, { error: `use one of ${SERVERS.join(', ')}` })
    .optional()
    .meta({ placeholder: 'NAME', description: `Only what one server stores: ${SERVERS.join(', ')}.` }),
};

const NOTHING =
  'Nothing is stored. Files appear here after the first use, for example: deskside todo add Buy groceries';
const NOT_LISTED =
  'Not listed: tasks in PostgreSQL, screenshots that you saved, and files that a client names in its own configuration.';

export function data(self: Self): Command {
  return defineCommand({
    options: configOptions,
    flags: {
      ...serverFlag,
      json: flagField('Print JSON.'),
    },
    details: `Lists every file that Deskside's servers store on this machine, with its size and purpose. ${NOT_LISTED}`,
    examples: ['deskside data', 'deskside data --server popup', 'deskside data --json'],
    async run({ server, json, config }, context) {
      const items = await itemsOf({ server, config }, self, context);
      const clients = await connectedClients();
      if (json) {
        context.print(JSON.stringify({ items, clients }, null, 2));
        return;
      }
      printItems(items, context);
      printConnected(clients, self, context);
      context.print(NOT_LISTED);
    },
  });
}

export function dataWipe(self: Self): Command {
  return defineCommand({
    options: configOptions,
    flags: { ...serverFlag, ...yesFlag },
    details:
      'Shows what Deskside stores, asks, and deletes it: tasks, answers, notifications, tokens and configuration. What other programs may use, too, stays. End the clients that use Deskside first. Their entries, and what undoes them, stay until "deskside connect CLIENT --undo".',
    examples: ['deskside data wipe', 'deskside data wipe --server popup'],
    async run({ server, yes, config }, context) {
      const { print } = context;
      const items = await itemsOf({ server, config }, self, context);
      const clients = await connectedClients();
      const needed = clients.length === 0 ? undefined : connectionsFile();
      const own = items.filter(({ isShared, path }) => !isShared && path !== needed);
      if (own.length === 0) {
        printItems(items, context);
        if (items.length > 0) print('Nothing was deleted.');
        printConnected(clients, self, context);
        return 0;
      }
      await checkNoDesk(self);
      printItems(items, context);
      const { files, bytes } = total(own);
      const question = `Delete ${files} file${files === 1 ? '' : 's'} (${sizeText(bytes)})? They cannot be restored.`;
      await using ask = questions('deskside data', context, yes);
      if (!(await ask.confirm(question))) {
        print('Nothing was deleted.');
        return 1;
      }
      // A client can have started one meanwhile.
      await checkNoDesk(self);
      const problems = await removeAll(own, self);
      for (const problem of problems) print(escapeInvisible(problem));
      print(problems.length === 0 ? 'Deleted.' : 'The rest is deleted.');
      printConnected(clients, self, context);
      return problems.length === 0 ? 0 : 1;
    },
  });
}

const MAX_DAYS = 3650;

const daysField = (of: string) =>
  integerField(0, MAX_DAYS)
    .optional()
    .meta({ placeholder: 'DAYS', description: `Days for which ${of} are kept, 0 to ${MAX_DAYS}.` });

/** How long the desk database keeps what happened. */
export const dataKeep = defineCommand({
  flags: {
    texts: daysField('questions, answers and texts of notifications'),
    records: daysField('records of who asked, reported and called what'),
  },
  details:
    'It holds for all programs of this user that record what happens, and deletes what is older at once. With --texts 0 no text is recorded. Files of notifications and conversations are others: see --no-history of the servers.',
  examples: ['deskside data keep', 'deskside data keep --texts 1 --records 30'],
  async run({ texts, records }, { print, note }) {
    await using journal = openUserJournal(silentLog);
    const kept = await journal.keep({
      ...(texts === undefined ? {} : { texts }),
      ...(records === undefined ? {} : { items: records }),
    });
    if (journal.problem !== undefined) note(journal.problem);
    print(`Texts: ${daysText(kept.texts)}. Records: ${daysText(kept.items)}.`);
  },
});

function daysText(days: number): string {
  return days === 0 ? 'not kept' : `kept for ${days} day${days === 1 ? '' : 's'}`;
}

/** @throws StartError if a desk is running: it would go on with files that are deleted */
async function checkNoDesk(self: Self): Promise<void> {
  if ((await askDesk(self, 'status')) === undefined) return;
  throw new StartError('Nothing was deleted: a desk is running. End its clients, then run "deskside stop".');
}

async function itemsOf(
  { server, config }: { readonly server: string | undefined; readonly config: string | undefined },
  { platform, uid }: Self,
  { env }: CommandContext,
): Promise<readonly StoredItem[]> {
  const loaded = await loadConfig(config);
  const items = storedItems({ env, config, settings: loaded?.config.settings ?? {}, platform, uid });
  return items.filter((item) => server === undefined || item.server === server);
}

/** How to take back the entries in files of clients, which are not Deskside's. */
function printConnected(clients: readonly string[], self: Self, { env, print }: CommandContext): void {
  const { typed } = invocationOf(self, env);
  for (const client of clients) {
    print(`${client} is connected. To take that back: ${typed} connect ${client} --undo`);
  }
}

/** `todo      24 kB  /home/anna/.local/share/deskside/todo.sqlite` and the purpose in a second line. */
function printItems(items: readonly StoredItem[], context: CommandContext): void {
  const shown = (path: string) =>
    context.output.isTTY === true ? path.replace(homedir() + sep, `~${sep}`) : path;
  const rows = items.flatMap(({ server, path, files, bytes, purpose, isShared }) => {
    const count = files === 1 ? '' : ` (${files} files)`;
    const about = isShared ? [purpose, 'other programs may use it, so "data wipe" leaves it'] : [purpose];
    const row = `${server.padEnd(9)}  ${sizeText(bytes).padStart(8)}  ${shown(path)}${count}`;
    return [row].concat(about.map((line) => ' '.repeat(23) + line));
  });
  printRows(rows, context);
  const { files, bytes } = total(items);
  context.print(items.length === 0 ? NOTHING : `${files} files, ${sizeText(bytes)}`);
}

/** @returns a sentence per path that could not be deleted */
async function removeAll(items: readonly StoredItem[], { platform }: Self): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { path } of items) {
    try {
      await rm(path, { recursive: true, force: true });
    } catch (error) {
      problems.push(`${path} cannot be deleted: ${messageOf(error)}.`);
    }
  }
  const places = folders();
  const own = [places.data, places.config, places.state, folders(platform, {}).state];
  // They are folders in a folder `deskside` there.
  const parents = platform === 'win32' ? own.map((folder) => dirname(folder)) : [];
  for (const folder of [...own, ...parents]) {
    // A folder that is not empty stays.
    await rmdir(folder).catch(() => undefined);
  }
  return problems;
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

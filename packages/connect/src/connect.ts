import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@deskside/core/base';
import { StartError } from '@deskside/core/errors';
import { stringify } from 'smol-toml';
import {
  SERVER_NAME,
  type Client,
  type ClientCommand,
  type Entry,
  type Fields,
  type Place,
} from './client.ts';
import {
  carryOut,
  checkWritable,
  type FileChange,
  hasNothing,
  planChange,
  planEdit,
  serversIn,
} from './config-file.ts';
import { type Connection, connectionOf, remember } from './connections.ts';
import { type HooksRequest, planHooks, shownHooks } from './hooks.ts';
import { plain } from './json-file.ts';
import { commandLine, isRunning, runProgram } from './programs.ts';
import { planRule, shownRule, withRule } from './rules.ts';

export interface Request {
  readonly client: Client;
  readonly entry: Entry;
  /** Agents may ask and notify without a prompt; undefined leaves the rules of the client. */
  readonly isAllowed: boolean | undefined;
  readonly hooks: HooksRequest;
  /** Name of the token in `entry`. */
  readonly token: string | undefined;
  readonly place: Place;
  /** What a person types to start this program. */
  readonly typed: string;
  readonly dryRun: boolean;
  readonly print: (line: string) => void;
}

/** @returns false if a person has to finish it @throws StartError if nothing was changed */
export async function connect(request: Request): Promise<boolean> {
  const { client, entry, isAllowed, token, place, typed, dryRun, print } = request;
  const file = client.file(place);
  const present = (await serversIn(client, file))[SERVER_NAME];
  const { defaults, waits } = client;
  const fields = { ...client.value(entry), ...defaults, ...waits, ...setByPerson(client, entry, present) };
  const value = plain(withRule(fields, client.rule, present, isAllowed));
  const recorded = await connectionOf(client.id);
  if (recorded?.token !== undefined) {
    throw new StartError(
      `${client.title} has the token "${recorded.token}". Run "${typed} connect ${client.id} --undo" first.`,
    );
  }
  const rule = await planRule(client, place, isAllowed);
  const hooks = await planHooks(client, place, request.hooks);
  // It stops before the first change.
  for (const change of [rule, hooks]) if (change !== undefined) await checkWritable(change);
  const isSame = isDeepStrictEqual(plain(present), value);
  const isOther = client.command === undefined && recorded === undefined && !isSame;
  if (isOther && isReached(client, present)) {
    throw new StartError(
      `${client.title} has another server "${SERVER_NAME}" in ${file}. Remove or rename it first.`,
    );
  }
  const isRecorded = !dryRun && (!isSame || rule !== undefined || hooks !== undefined);
  // First: without the record nothing can be undone.
  if (isRecorded) {
    const whole = client.command === undefined ? await planEdit(file, (text) => text) : undefined;
    const empty = { ...emptyIn([whole, rule, hooks]), ...recorded?.empty };
    const further = token === undefined ? {} : { token };
    const own = recorded === undefined ? present : recorded.own;
    await remember(client.id, { client: client.id, file, own, empty, ...further });
  }
  let isDone = isSame;
  try {
    if (!isSame) isDone = await writeEntry(request, file, value, present);
  } finally {
    if (isRecorded && !isDone) {
      // A record too many does no harm: `--undo` forgets it.
      await forgetUnlessWritten(request, file, present, recorded).catch(() => undefined);
    }
  }
  if (!isDone) return false;
  if (rule !== undefined) await writeRule(request);
  if (hooks !== undefined) await writeHooks(request);
  if (isSame && rule === undefined && hooks === undefined)
    print(`${client.title} is connected already: ${file}`);
  else if (!dryRun) print(`${client.title} now uses Deskside. ${client.note}`);
  if (present === undefined && client.hooks !== undefined && request.hooks.areWanted === undefined) {
    const again = `${typed} connect ${client.id} --hooks`;
    print(`To be notified when ${client.title} has finished or needs you: ${again}`);
  }
  return true;
}

/** What was in the files that had nothing in them; null for one that did not exist. */
function emptyIn(changes: readonly (FileChange | undefined)[]): NonNullable<Connection['empty']> {
  const texts = changes.flatMap((change) => (change === undefined ? [] : [change]));
  const empty = texts.filter(({ before = '' }) => hasNothing(before));
  return Object.fromEntries(empty.map(({ file, before = null }) => [file, before]));
}

/** A client's program can have written the entry before it failed. */
async function forgetUnlessWritten(
  { client }: Request,
  file: string,
  present: unknown,
  recorded: Connection | undefined,
): Promise<void> {
  const now = (await serversIn(client, file))[SERVER_NAME];
  if (isDeepStrictEqual(plain(now), plain(present))) await remember(client.id, recorded);
}

/** The fields that tell how a server is reached. */
function reachingFields({ value }: Client): Set<string> {
  const entries: readonly Entry[] = [
    { kind: 'stdio', command: '', args: [] },
    { kind: 'http', url: '', token: '' },
  ];
  return new Set(entries.flatMap((each) => Object.keys(value(each))));
}

/** Whether an entry names a server. A person may have set waiting times before there was one. */
function isReached(client: Client, present: unknown): boolean {
  if (!isObject(present)) return present !== undefined;
  return Object.keys(present).some((field) => reachingFields(client).has(field));
}

/** What stays of an entry: everything but how Deskside is reached. */
function setByPerson(client: Client, entry: Entry, present: unknown): Fields {
  const { value, rule, extensible } = client;
  if (!isObject(present)) return {};
  const own = reachingFields(client);
  if (rule?.kind === 'entry') own.add(rule.field);
  const kept = Object.fromEntries(Object.entries(present).filter(([key]) => !own.has(key)));
  const needed = extensible === undefined ? undefined : value(entry)[extensible];
  if (extensible === undefined || !Array.isArray(needed)) return kept;
  const before: unknown = present[extensible];
  const further: readonly unknown[] = Array.isArray(before) ? before : [];
  return { ...kept, [extensible]: [...needed, ...further.filter((item) => !needed.includes(item))] };
}

async function runCommand(
  { client, entry, place, dryRun, print }: Request,
  { add, remove }: ClientCommand,
  file: string,
  present: unknown,
): Promise<boolean> {
  const { program = client.id } = client;
  const args = add(SERVER_NAME, entry);
  if (present !== undefined) {
    throw new StartError(
      `${client.title} has another server "${SERVER_NAME}". Remove it first: ${commandLine(program, remove(SERVER_NAME))}`,
    );
  }
  if (dryRun) {
    print(`Would run: ${withoutToken(commandLine(program, args), entry)}`);
    return true;
  }
  // Other users of the machine can read the arguments of the program.
  const ran = await runProgram(program, add(SERVER_NAME, withPlaceholder(entry)), place.env);
  if (ran === undefined) {
    const missing = `The program "${program}" of ${client.title} was not found.`;
    // A command line would contain the token.
    if (entry.kind === 'http') throw new StartError(`${missing} Install it, or connect without --http.`);
    print(
      `${missing} Run this ${place.platform === 'win32' ? 'in a Command Prompt ' : ''}where it is installed:`,
    );
    print(`  ${commandLine(program, args)}`);
    return false;
  }
  if (ran.code !== 0) {
    throw new StartError(
      `"${program}" failed: ${withoutToken(ran.output || `exit code ${ran.code}`, entry)}`,
    );
  }
  if (entry.kind === 'http') {
    await carryOut(await planEdit(file, (text) => text.replaceAll(PLACEHOLDER, entry.token)), true);
  }
  return true;
}

/** What a client's program writes where the token belongs. */
const PLACEHOLDER = 'token-follows';

function withPlaceholder(entry: Entry): Entry {
  return entry.kind === 'http' ? { ...entry, token: PLACEHOLDER } : entry;
}

/** @returns false if a person has to finish it */
async function writeEntry(
  request: Request,
  file: string,
  value: unknown,
  present: unknown,
): Promise<boolean> {
  const { client, entry, place, dryRun, print } = request;
  if (client.command !== undefined) return runCommand(request, client.command, file, present);
  await refuseWhileRunning(client, place);
  const change = await planChange(client, file, SERVER_NAME, value);
  print(`${dryRun ? 'Would write' : 'Writing'} to ${file}:`);
  print(withoutToken(shown(client, value), entry));
  if (!dryRun) await carryOut(change, entry.kind === 'http');
  return true;
}

/** Planned again: the file may be the one of the entry. */
async function writeRule({ client, isAllowed, place, dryRun, print }: Request): Promise<void> {
  const change = await planRule(client, place, isAllowed);
  if (client.rule === undefined || change === undefined) return;
  const [would, does] =
    isAllowed === true ? ['Would write to', 'Writing to'] : ['Would remove from', 'Removing from'];
  print(`${dryRun ? would : does} ${change.file}:`);
  print(shownRule(client.rule));
  if (!dryRun) await carryOut(change, false, await emptied(client.id, change.file));
}

/** Planned again, as above. */
async function writeHooks({ client, hooks, place, dryRun, print }: Request): Promise<void> {
  const change = await planHooks(client, place, hooks);
  if (client.hooks === undefined || change === undefined) return;
  const [would, does] =
    hooks.areWanted === true
      ? ['Would write hooks to', 'Writing hooks to']
      : ['Would remove hooks from', 'Removing hooks from'];
  print(`${dryRun ? would : does} ${change.file}`);
  if (hooks.areWanted === true) print(`  ${shownHooks(client.hooks, hooks)}`);
  if (!dryRun) await carryOut(change, false, await emptied(client.id, change.file));
}

/** What `connect` found in a file that had nothing in it. */
async function emptied(client: string, file: string): Promise<string | null | undefined> {
  return (await connectionOf(client))?.empty?.[file];
}

/** A program that writes its file from memory when it ends would drop the change. */
export async function refuseWhileRunning({ title, ownProcesses, note }: Client, place: Place): Promise<void> {
  if (ownProcesses === undefined || !(await isRunning(ownProcesses, place.platform, place.env))) return;
  throw new StartError(`${title} is running. Quit it, then run this again. ${note}`);
}

function shown({ format, root }: Client, value: unknown): string {
  const tree = { [root]: { [SERVER_NAME]: value } };
  return format === 'toml' ? stringify(tree).trimEnd() : JSON.stringify(tree, null, 2);
}

function withoutToken(text: string, entry: Entry): string {
  return entry.kind === 'http' ? text.replaceAll(entry.token, '<token>') : text;
}

import { rm } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { StartError } from '@deskside/core/errors';
import { stringify } from 'smol-toml';
import type { Client, ClientCommand, Entry, Place } from './client.ts';
import { carryOut, planChange, sha256Of, serversIn } from './config-file.ts';
import { type Connection, connectionOf, protect, remember } from './connections.ts';
import { commandLine, isRunning, runProgram } from './programs.ts';

/** The name of the server in every client. */
export const SERVER_NAME = 'deskside';

export interface Request {
  readonly client: Client;
  readonly entry: Entry;
  /** Agents may ask and notify without a prompt. */
  readonly isAllowed: boolean;
  /** Name of the token in `entry`. */
  readonly token: string | undefined;
  readonly place: Place;
  /** What a person types to start this program. */
  readonly typed: string;
  readonly dryRun: boolean;
  readonly now: () => Date;
  readonly print: (line: string) => void;
}

/** @returns false if a person has to finish it @throws StartError if nothing was changed */
export async function connect(request: Request): Promise<boolean> {
  const { client, entry, isAllowed, place, typed, print } = request;
  const file = client.file(place);
  const value = plain({
    ...client.value(entry),
    ...client.waits,
    ...(isAllowed ? client.rule : {}),
  });
  const present = (await serversIn(client, file))[SERVER_NAME];
  const earlier = await connectionOf(client.id);
  if (earlier?.token !== undefined) {
    throw new StartError(
      `${client.title} has the token "${earlier.token}". Run "${typed} connect ${client.id} --undo" first.`,
    );
  }
  if (isDeepStrictEqual(plain(present), value)) {
    print(`${client.title} is connected already: ${file}`);
    return true;
  }
  if (client.command !== undefined) return runCommand(request, client.command, file, value, present);
  await writeFile(request, file, value, earlier);
  return true;
}

async function runCommand(
  { client, entry, token, place, dryRun, print }: Request,
  { add, remove }: ClientCommand,
  file: string,
  value: unknown,
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
  const ran = await runProgram(program, args, place.env);
  if (ran === undefined) {
    print(
      `The program "${program}" of ${client.title} was not found. Run this ${place.platform === 'win32' ? 'in a Command Prompt ' : ''}where it is installed:`,
    );
    print(`  ${commandLine(program, args)}`);
    return false;
  }
  if (ran.code !== 0) {
    throw new StartError(
      `"${program}" failed: ${withoutToken(ran.output || `exit code ${ran.code}`, entry)}`,
    );
  }
  // A program may add fields; one that hands the change to a window may write it later.
  const written = (await serversIn(client, file))[SERVER_NAME] ?? value;
  if (entry.kind === 'http' && client.hasPrivateFile !== true) await protect(file, print);
  await remember(client.id, {
    client: client.id,
    file,
    wrote: 'value',
    sha256: digestOf(written),
    ...(token === undefined ? {} : { token }),
  });
  print(`Connected ${client.title} with its program "${program}". ${client.note}`);
  return true;
}

async function writeFile(
  { client, entry, token, place, dryRun, now, print }: Request,
  file: string,
  value: unknown,
  earlier: Connection | undefined,
): Promise<void> {
  await refuseWhileRunning(client, place);
  const change = await planChange(client, file, SERVER_NAME, value);
  print(`${dryRun ? 'Would write' : 'Writing'} to ${file}:`);
  print(withoutToken(shown(client, value), entry));
  if (dryRun) return;
  const { sha256, backup: copy } = await carryOut(change, entry.kind === 'http', now());
  // Undo goes back to the file before the first change, if nothing else changed it since.
  const isOwn =
    earlier !== undefined && change.before !== undefined && sha256Of(change.before) === earlier.sha256;
  if (isOwn && copy !== undefined) await rm(copy);
  const backup = isOwn ? earlier.backup : copy;
  await remember(client.id, {
    client: client.id,
    file,
    wrote: 'file',
    sha256,
    ...(backup === undefined ? {} : { backup }),
    ...(token === undefined ? {} : { token }),
  });
  print(`Connected ${client.title}. ${client.note}`);
  if (backup !== undefined) print(`The file before is ${backup}`);
}

/** A program that writes its file from memory when it ends would drop the change. */
export async function refuseWhileRunning({ title, ownProcesses, note }: Client, place: Place): Promise<void> {
  if (ownProcesses === undefined || !(await isRunning(ownProcesses, place.platform, place.env))) return;
  throw new StartError(`${title} is running. Quit it, then run this again. ${note}`);
}

function digestOf(value: unknown): string {
  return sha256Of(JSON.stringify(sorted(plain(value))));
}

export function isWritten({ sha256 }: Connection, value: unknown): boolean {
  return value !== undefined && digestOf(value) === sha256;
}

/** Without the differences between parsers: key order and prototypes. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, sorted(field)]),
  );
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function shown({ format, root }: Client, value: unknown): string {
  const tree = { [root]: { [SERVER_NAME]: value } };
  return format === 'toml' ? stringify(tree).trimEnd() : JSON.stringify(tree, null, 2);
}

function withoutToken(text: string, entry: Entry): string {
  return entry.kind === 'http' ? text.replaceAll(entry.token, '<token>') : text;
}

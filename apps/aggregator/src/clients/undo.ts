import { rm } from 'node:fs/promises';
import { StartError } from '@deskside/core/errors';
import { textOf } from '../files/update.ts';
import type { Client, Place } from './client.ts';
import { carryOut, planChange, sha256Of, serversIn } from './config-file.ts';
import { isWritten, refuseWhileRunning, SERVER_NAME } from './connect.ts';
import { type Connection, connectionOf, remember } from './connections.ts';
import { commandLine, runProgram } from './programs.ts';

export interface UndoRequest {
  readonly client: Client;
  readonly place: Place;
  readonly dryRun: boolean;
  readonly now: () => Date;
  readonly print: (line: string) => void;
}

/**
 * Takes back what `connect` changed, only if the client's file is still what it wrote.
 *
 * @returns the name of the token that was created for the client
 * @throws StartError if nothing was changed
 */
export async function undo(request: UndoRequest): Promise<string | undefined> {
  const { client, dryRun, print } = request;
  const connection = await connectionOf(client.id);
  if (connection === undefined) {
    throw new StartError(`Nothing to undo: "deskside connect ${client.id}" has changed nothing here.`);
  }
  if (connection.wrote === 'file') await restoreFile(request, connection);
  else await removeValue(request, connection);
  if (dryRun) return undefined;
  await remember(client.id, undefined);
  print(`${client.title} is as before.`);
  return connection.token;
}

async function restoreFile({ client, place, dryRun, now, print }: UndoRequest, connection: Connection) {
  const { file, backup, sha256 } = connection;
  await refuseWhileRunning(client, place);
  const current = await textOf(file);
  if (current === undefined || sha256Of(current) !== sha256) throw changedSince(connection);
  if (backup === undefined) {
    print(`${dryRun ? 'Would delete' : 'Deleting'} ${file}, which did not exist before.`);
    if (!dryRun) await rm(file);
    return;
  }
  const before = await textOf(backup);
  if (before === undefined) throw new StartError(`The backup ${backup} is gone. Edit ${file} yourself.`);
  print(`${dryRun ? 'Would restore' : 'Restoring'} ${file} from ${backup}`);
  if (dryRun) return;
  const { backup: copy } = await carryOut({ file, before: current, after: before }, false, now());
  await rm(backup);
  if (copy !== undefined && copy !== backup) await rm(copy);
}

async function removeValue({ client, place, dryRun, now, print }: UndoRequest, connection: Connection) {
  const { file } = connection;
  if (!isWritten(connection, (await serversIn(client, file))[SERVER_NAME])) throw changedSince(connection);
  const { program = client.id, command } = client;
  if (command === undefined) {
    print(`${dryRun ? 'Would remove' : 'Removing'} "${SERVER_NAME}" from ${file}`);
    if (!dryRun) await carryOut(await planChange(client, file, SERVER_NAME, undefined), false, now());
    return;
  }
  const args = command.remove(SERVER_NAME);
  const line = commandLine(program, args);
  print(`${dryRun ? 'Would run' : 'Running'}: ${line}`);
  if (dryRun) return;
  const ran = await runProgram(program, args, place.env);
  if (ran === undefined)
    throw new StartError(`The program "${program}" was not found. Run it yourself: ${line}`);
  if (ran.code !== 0) throw new StartError(`"${program}" failed: ${ran.output || `exit code ${ran.code}`}`);
}

function changedSince({ file, backup }: Connection): StartError {
  const before = backup === undefined ? '' : ` The file before is ${backup}`;
  return new StartError(`${file} has changed since. Remove "${SERVER_NAME}" there yourself.${before}`);
}

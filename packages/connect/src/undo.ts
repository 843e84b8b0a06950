import { StartError } from '@deskside/core/errors';
import { SERVER_NAME, type Client, type Place } from './client.ts';
import { carryOut, checkWritable, planChange, serversIn } from './config-file.ts';
import { refuseWhileRunning } from './connect.ts';
import { type Connection, connectionOf, remember } from './connections.ts';
import { commandLine, runProgram } from './programs.ts';
import { planHooks } from './hooks.ts';
import { planRule } from './rules.ts';

export interface UndoRequest {
  readonly client: Client;
  readonly place: Place;
  readonly dryRun: boolean;
  /** Ends the token that was created for the client. */
  readonly revoke: (token: string) => Promise<void>;
  readonly print: (line: string) => void;
}

/**
 * Removes the entry and the rule of Deskside. Everything else stays as it is now.
 *
 * @throws StartError if nothing was changed
 */
export async function undo(request: UndoRequest): Promise<void> {
  const { client, place, dryRun, revoke, print } = request;
  const connection = await connectionOf(client.id);
  if (connection === undefined) {
    throw new StartError(`Nothing to undo: "connect" has changed nothing of ${client.title} here.`);
  }
  const plans = [
    ['rule', () => planRule(client, place, false)],
    ['hooks', () => planHooks(client, place, { areWanted: false, program: [] })],
  ] as const;
  // It stops before the first change.
  for (const [, plan] of plans) {
    const change = await plan();
    if (change !== undefined) await checkWritable(change);
  }
  if (SERVER_NAME in (await serversIn(client, connection.file))) await removeEntry(request, connection);
  // Planned again: the file may be the one of the entry.
  for (const [what, plan] of plans) {
    const change = await plan();
    if (change === undefined) continue;
    print(`${dryRun ? 'Would remove' : 'Removing'} the ${what} from ${change.file}`);
    if (!dryRun) await carryOut(change, false, connection.empty?.[change.file]);
  }
  if (dryRun) return;
  // Before the record goes: a second try needs the name.
  if (connection.token !== undefined) await revoke(connection.token);
  await remember(client.id, undefined);
  print(`Deskside is removed from ${client.title}.`);
}

async function removeEntry(
  { client, place, dryRun, print }: UndoRequest,
  { file, own, empty }: Connection,
): Promise<void> {
  const { program = client.id, command } = client;
  if (command === undefined) {
    await refuseWhileRunning(client, place);
    print(`${dryRun ? 'Would remove' : 'Removing'} "${SERVER_NAME}" from ${file}`);
    if (!dryRun) await carryOut(await planChange(client, file, SERVER_NAME, own), false, empty?.[file]);
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

import { once } from 'node:events';
import { StartError } from '@deskside/core/errors';
import { type Command, defineCommand, folders } from '@deskside/core/program';
import { type Greeting, latestRecord, openFolder } from '@deskside/desktop';
import { type Answer, deskPlace, greetDesk } from '../attach/protocol.ts';
import type { Self } from '@deskside/connect';
import { type DeskStatus, deskStatus } from '../attach/desk-status.ts';
import { deskCommand, startDesk } from '../attach/start-desk.ts';

/** A busy machine is slow, and a desk on it is not dead. */
const ANSWER_MS = 30_000;
const NOTE_MS = 3000;
const START_MS = 20_000;

/** What a person does after a change that a running desk does not follow. */
export const RESTART = 'Run "deskside stop": the next client starts a new desk.';

/**
 * Sends a command to the present desk of this user.
 *
 * @returns undefined if no desk is running
 * @throws StartError if the desk does not answer, or if other users can use its folder
 */
export async function askDesk(
  self: Self,
  kind: 'status' | 'stop' | 'open',
  note: (line: string) => void = () => undefined,
): Promise<(Greeting<Answer> & { readonly pid: number }) | undefined> {
  const { record } = latestRecord(deskPlace(folders().data, self));
  if (record === undefined) return undefined;
  const limit = AbortSignal.timeout(ANSWER_MS);
  const timer = setTimeout(() => note(`Still waiting for the desk (process ${record.pid}).`), NOTE_MS);
  const greeting = await greetDesk(record, { kind, version: self.version }, limit)
    .catch((error: unknown) => {
      if (!limit.aborted) throw error;
      const seconds = ANSWER_MS / 1000;
      throw new StartError(
        `The desk (process ${record.pid}) does not answer in ${seconds} s. End that process.`,
      );
    })
    .finally(() => clearTimeout(timer));
  return greeting && { ...greeting, pid: record.pid };
}

/**
 * @returns undefined if no desk is running
 * @throws StartError as `askDesk`, and if this version does not understand the answer
 */
export async function statusOfDesk(
  self: Self,
  note?: (line: string) => void,
): Promise<DeskStatus | undefined> {
  const answer = await answerOf(self, 'status', note);
  if (answer?.kind !== 'status') return undefined;
  const { data } = deskStatus.safeParse(answer.status);
  if (data === undefined) throw new StartError('The desk is of another version. Run "deskside stop".');
  return data;
}

/** Opens the page of the desk of this user. */
export function open(self: Self): Command {
  return defineCommand({
    details:
      'The desk opens it in your browser, on the display where you are logged in. There you can also answer, and see your day and your tasks.',
    examples: ['deskside open'],
    async run(_values, { env, print, note }) {
      let answer = await answerOf(self, 'open', note);
      if (answer === undefined) {
        const command = deskCommand(self.command, env, self.uid);
        openFolder(command.place.folder);
        await startDesk(command, AbortSignal.timeout(START_MS));
        answer = await answerOf(self, 'open', note);
      }
      if (answer === undefined)
        throw new StartError('The desk ended while it started. Run "deskside desk" to see why.');
      if (answer.kind === 'refused')
        throw new StartError(
          'The desk could not open your browser. Log in at a screen of this machine, then try again.',
        );
      if (answer.kind !== 'opened')
        throw new StartError('The desk does not open its page. Run "deskside stop", then "deskside open".');
      print('The page is open in your browser.');
    },
  });
}

/** @returns undefined if no desk is running */
async function answerOf(self: Self, kind: 'status' | 'open', note?: (line: string) => void) {
  const greeting = await askDesk(self, kind, note);
  greeting?.socket.destroy();
  return greeting?.answer;
}

/** Ends the desk of this user. */
export function stop(self: Self): Command {
  return defineCommand({
    details:
      'Open calls have 1.5 s to finish. Attached clients stay connected; their next request starts a desk again, without HTTP.',
    examples: ['deskside stop'],
    async run(_values, { print, note }) {
      const greeting = await askDesk(self, 'stop', note);
      if (greeting === undefined) {
        print('No desk is running.');
        return;
      }
      // The desk closes the connection when it has ended.
      if (!greeting.socket.destroyed) {
        greeting.socket.resume();
        await once(greeting.socket, 'close');
      }
      print(`Stopped the desk (process ${greeting.pid}).`);
    },
  });
}

import { StartError } from '@deskside/core/errors';
import { folders } from '@deskside/core/program';
import { type Greeting, latestRecord } from '@deskside/desktop';
import { type Answer, ATTACH_PROTOCOL, deskPlace, greetDesk } from '../attach/protocol.ts';
import type { Self } from '@deskside/connect';
import { type DeskStatus, deskStatus } from '../attach/desk-status.ts';

/** A busy machine is slow, and a desk on it is not dead. */
const ANSWER_MS = 30_000;
const NOTE_MS = 3000;

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
  const introduction = { kind, protocol: ATTACH_PROTOCOL, version: self.version };
  const limit = AbortSignal.timeout(ANSWER_MS);
  const timer = setTimeout(() => note(`Still waiting for the desk (process ${record.pid}).`), NOTE_MS);
  const greeting = await greetDesk(record, introduction, limit)
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
  const greeting = await askDesk(self, 'status', note);
  greeting?.socket.destroy();
  if (greeting?.answer.kind !== 'status') return undefined;
  const { data } = deskStatus.safeParse(greeting.answer.status);
  if (data === undefined) throw new StartError('The desk is of another version. Run "deskside stop".');
  return data;
}

import { StartError } from '@deskside/core';
import { folders } from '@deskside/core/cli';
import { greet, type Greeting } from '../attach/greet.ts';
import { ATTACH_PROTOCOL } from '../attach/protocol.ts';
import { deskFolder, latestRecord, UnsafePath } from '../attach/record.ts';
import type { Self } from '../attach/self.ts';
import { type DeskStatus, deskStatus } from '../attach/status.ts';

const ANSWER_MS = 5000;

/**
 * Sends a command to the present desk of this user.
 *
 * @returns undefined if no desk is running
 * @throws StartError if the desk does not answer, or if other users can use its folder
 */
export async function askDesk(
  { version, uid }: Self,
  kind: 'status' | 'stop',
): Promise<(Greeting & { readonly pid: number }) | undefined> {
  try {
    const { record } = latestRecord(deskFolder(folders().data), uid);
    if (record === undefined) return undefined;
    const introduction = { kind, protocol: ATTACH_PROTOCOL, version } as const;
    const limit = AbortSignal.timeout(ANSWER_MS);
    const greeting = await greet(record, introduction, limit).catch((error: unknown) => {
      if (!limit.aborted) throw error;
      throw new StartError(`The desk (process ${record.pid}) does not answer. End that process.`);
    });
    return greeting && { ...greeting, pid: record.pid };
  } catch (error) {
    if (error instanceof UnsafePath) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

/**
 * @returns undefined if no desk is running
 * @throws StartError as `askDesk`, and if this version does not understand the answer
 */
export async function statusOfDesk(self: Self): Promise<DeskStatus | undefined> {
  const greeting = await askDesk(self, 'status');
  greeting?.socket.destroy();
  if (greeting?.answer.kind !== 'status') return undefined;
  const { data } = deskStatus.safeParse(greeting.answer.status);
  if (data === undefined) throw new StartError('The desk is of another version. Run "deskside stop".');
  return data;
}

import type { Socket } from 'node:net';
import { type HolderPlace, latestRecord, openFolder, socketAddress } from '@deskside/desktop';
import { messageOf, StartError } from '@deskside/core/errors';
import type { Hello } from './hello.ts';
import { greetDesk } from './protocol.ts';

/** Starts of one search. More would mean that desks end as soon as they start. */
const MAX_STARTS = 3;

export interface Search {
  readonly place: HolderPlace;
  readonly introduction: Hello;
  /** Starts a desk. Resolves when it is ready, when it has ended, or when the signal is aborted. */
  readonly start: (signal: AbortSignal) => Promise<void>;
  readonly timeoutMs: number;
  /** For the reason of a desk that does not start. */
  readonly logFile: string;
}

/** A connection to a desk, or the reason why none serves this client: a clause for people. */
export type Reached = { readonly socket: Socket } | { readonly reason: string };

/** Finds the present desk, or starts one. */
export async function reachDesk(search: Search): Promise<Reached> {
  const { place, introduction, start, timeoutMs, logFile } = search;
  const signal = AbortSignal.timeout(timeoutMs);
  let starts = 0;
  try {
    openFolder(place.folder, place.uid);
    for (;;) {
      const { number, record } = latestRecord(place);
      const greeting = record && (await greetDesk(record, introduction, signal));
      const answer = greeting?.answer;
      if (answer?.kind === 'welcome' && greeting !== undefined) return { socket: greeting.socket };
      greeting?.socket.destroy();
      if (answer?.kind === 'refused') return { reason: answer.reason };
      // Another desk may have come meanwhile.
      if (latestRecord(place).number !== number) continue;
      if (starts === MAX_STARTS) return { reason: `the desk does not start, see ${logFile}` };
      signal.throwIfAborted();
      // A desk that cannot listen could say why only in its log.
      socketAddress(place, `${number + 1}-00000000`);
      starts += 1;
      await start(signal);
      signal.throwIfAborted();
    }
  } catch (error) {
    if (signal.aborted) return { reason: `no desk answered within ${timeoutMs / 1000} s` };
    if (error instanceof StartError) return { reason: error.message };
    return { reason: `the desk cannot be reached (${messageOf(error)})` };
  }
}

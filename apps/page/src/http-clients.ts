import type { JournalRecord } from '@deskside/desktop';

/** A client that calls tools over HTTP: a session, or a token without one. */
export interface HttpClient {
  /** As people read it. */
  readonly label: string;
  /** Its first call of the last day. ISO 8601. */
  readonly since: string;
  /** ISO 8601. */
  readonly lastCall: string;
  readonly openCalls: number;
}

/** A client without a call in this time has gone. */
const PRESENT_MS = 10 * 60_000;

/** Over HTTP a client is known by its calls only: one with an open call, or with a call in the last ten minutes. */
export function httpClientsIn(records: readonly JournalRecord[], now: Date): readonly HttpClient[] {
  const calls = records.filter(({ transport }) => transport === 'http');
  const clients = Map.groupBy(calls, ({ user, token, session, caller }) =>
    JSON.stringify([user, token, session ?? caller]),
  );
  return [...clients.values()].flatMap((ofClient) => {
    const [first, last] = [ofClient[0], ofClient.at(-1)];
    // News can be open after its call, which then has a duration.
    const openCalls = ofClient.filter(({ outcome, ms }) => outcome === undefined && ms === undefined).length;
    if (
      first === undefined ||
      last === undefined ||
      (openCalls === 0 && !isRecent(Date.parse(last.asked), now))
    )
      return [];
    return [{ label: last.caller, since: first.asked, lastCall: last.asked, openCalls }];
  });
}

/** @param lastCallMs since 1970 */
export function isRecent(lastCallMs: number, now: Date): boolean {
  return now.getTime() - lastCallMs < PRESENT_MS;
}

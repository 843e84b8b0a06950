import { getOrAdd } from '@deskside/core/base';
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
export class HttpClients {
  readonly #clients = new Map<string, Omit<HttpClient, 'openCalls'> & { readonly open: Set<string> }>();

  /** @param records also those that have changed */
  add(records: readonly JournalRecord[]): this {
    for (const { id, transport, user, token, session, caller: label, asked, outcome, ms } of records) {
      if (transport !== 'http') continue;
      const key = JSON.stringify([user, token, session ?? label]);
      const begun = { label, since: asked, lastCall: asked, open: new Set<string>() };
      const client = getOrAdd(this.#clients, key, () => begun);
      if (Date.parse(asked) >= Date.parse(client.lastCall)) Object.assign(client, { label, lastCall: asked });
      // News can be open after its call, which then has a duration.
      if (outcome === undefined && ms === undefined) client.open.add(id);
      else client.open.delete(id);
    }
    return this;
  }

  present(now: Date): readonly HttpClient[] {
    return [...this.#clients.values()].flatMap(({ open, ...client }) => {
      const isRecent = now.getTime() - Date.parse(client.lastCall) < PRESENT_MS;
      return isRecent || open.size > 0 ? [{ ...client, openCalls: open.size }] : [];
    });
  }
}

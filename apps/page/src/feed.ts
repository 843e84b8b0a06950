import type { Approval, InboxChange, InboxItem, Journal, JournalRecord } from '@deskside/desktop';
import { decisionWords, objectOf, previewOf, scopeWords } from '@deskside/look';
import { renderCalls } from '@deskside/look/approval';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@deskside/core/base';
import { escapeInvisible } from '@deskside/core/text';
import { HttpClients } from './http-clients.ts';
import {
  type PageApproval,
  type PageClient,
  type PageEvent,
  type PageItem,
  type PageRecord,
  PART,
} from './browser/protocol.ts';
import type { LateInbox } from './late-inbox.ts';

/** A page draws a part while the next one arrives. */
const RECORDS_PER_EVENT = 200;
/** How often it is looked who uses the desk. Also shows a page that its desk lives. */
const LOOK_INTERVAL_MS = 1000;
const PING_EVERY_LOOKS = 10;
/** No page shows what ended earlier: today began at most 25 hours ago. Each page that is open holds what it needs. */
const NEEDED_MS = 2 * 86_400_000;
export interface FeedSources {
  readonly inbox: LateInbox;
  readonly journal: Journal;
  readonly clients: () => readonly PageClient[];
  /** @returns safe HTML of a text of others */
  readonly render: (text: string, plain: boolean) => string;
  readonly clock: Pick<Clock, 'now'>;
}

/** What happens at the desk, for every page that is open. */
export class Feed {
  readonly #sources: FeedSources;

  constructor(sources: FeedSources) {
    this.#sources = sources;
  }

  /** Sends what is, then what changes, until the signal is aborted. */
  async send(write: (event: PageEvent) => void, signal: AbortSignal): Promise<void> {
    const stop = this.#sources.inbox.subscribe((change) => {
      write(this.#eventOf(change));
    });
    const overHttp = new HttpClients();
    const stopLooking = this.#lookAtClients(write, overHttp);
    try {
      await this.#sendJournal(write, signal, overHttp);
    } finally {
      stop();
      stopLooking();
    }
  }

  async #sendJournal(
    write: (event: PageEvent) => void,
    signal: AbortSignal,
    overHttp: HttpClients,
  ): Promise<void> {
    const { journal, clock } = this.#sources;
    let isFirst = true;
    /** What the page has as open: it also learns of an end on a later day. */
    const open = new Set<string>();
    const since = new Date(clock.now().getTime() - NEEDED_MS);
    for await (const records of journal.follow({ since }, signal)) {
      overHttp.add(records);
      const today = this.#ofToday(records, open);
      for (const { id, outcome } of today) {
        if (outcome === undefined) open.add(id);
        else open.delete(id);
      }
      const sent = isFirst
        ? today.filter(({ outcome }, index) => outcome === undefined || index >= today.length - PART)
        : today;
      if (sent.length > 0) write({ type: 'records', records: sent.map(recordOf) });
      if (isFirst) {
        write({ type: 'ready' });
        const shown = new Set(sent);
        await this.#sendEarlier(
          today.filter((record) => !shown.has(record)),
          write,
          signal,
        );
      }
      isFirst = false;
    }
  }

  /** The newest part first. The desk works for agents in between. */
  async #sendEarlier(
    records: readonly JournalRecord[],
    write: (event: PageEvent) => void,
    signal: AbortSignal,
  ): Promise<void> {
    for (let end = records.length; end > 0 && !signal.aborted; end -= RECORDS_PER_EVENT) {
      const part = records.slice(Math.max(0, end - RECORDS_PER_EVENT), end);
      write({ type: 'records', records: part.map(recordOf), areEarlier: true });
      await setImmediate();
    }
  }

  /** A page has shown notifications to the person. */
  async see(ids: readonly unknown[]): Promise<void> {
    const { journal } = this.#sources;
    const shown = new Set(ids.filter((id) => typeof id === 'string'));
    const records = await journal.records({ kind: 'notification', ids: shown });
    for (const record of records.filter(isNotification)) {
      if (record.seen !== undefined) continue;
      const item = journal.begin(record);
      item.seen('page');
      item.end('delivered', 'page');
    }
  }

  /** What is open is of today. */
  #ofToday(records: readonly JournalRecord[], open: ReadonlySet<string>): readonly JournalRecord[] {
    const now = this.#sources.clock.now();
    const startMs = new Date(now).setHours(0, 0, 0, 0);
    // A clock that was ahead once has recorded what is of a later day.
    const endMs = new Date(now).setHours(24, 0, 0, 0);
    return records.filter(({ id, asked, outcome }) => {
      const askedMs = Date.parse(asked);
      return outcome === undefined || open.has(id) || (askedMs >= startMs && askedMs < endMs);
    });
  }

  #eventOf(change: InboxChange): PageEvent {
    if (change.kind !== 'open')
      return { type: 'ended', id: change.id, outcome: change.outcome.kind, via: change.via };
    const { inbox, render } = this.#sources;
    const { item } = change;
    // As in the window.
    const html = render(item.message, inbox.isPlain || item.isOwn || item.approval !== undefined);
    return { type: 'item', item: itemOf(item, html) };
  }

  #lookAtClients(write: (event: PageEvent) => void, overHttp: HttpClients): () => void {
    const { clients: attached, clock } = this.#sources;
    let last = '';
    let looks = 0;
    const look = () => {
      const called: PageClient[] = overHttp.present(clock.now()).map(({ label }) => ({ label }));
      const clients = [...attached(), ...called].map(({ label, session, hasNote }) => ({
        label: safe(label),
        session,
        hasNote,
      }));
      const text = JSON.stringify(clients);
      if (text !== last) write({ type: 'clients', clients });
      last = text;
      looks += 1;
      if (looks % PING_EVERY_LOOKS === 0) write({ type: 'ping' });
    };
    look();
    const timer = setInterval(look, LOOK_INTERVAL_MS).unref();
    return () => clearInterval(timer);
  }
}

function isNotification({ kind, mount = 'log' }: JournalRecord): boolean {
  return kind === 'notification' && mount === 'log';
}

function recordOf(record: JournalRecord): PageRecord {
  const { id, kind, caller, project, mount, tool, asked, seen, outcome, ms, content = {} } = record;
  const { text, answer, level } = content;
  return {
    id,
    kind,
    asked,
    seen,
    outcome,
    ms,
    mount,
    level: kind === 'notification' ? level : undefined,
    text:
      text && (kind === 'notification' ? escapeInvisible(text, { multiline: true }) : safe(previewOf(text))),
    answer: answer && escapeInvisible(answer, { multiline: true }),
    caller: safe(caller),
    project: project === undefined ? undefined : safe(project),
    tool: tool === undefined ? undefined : safe(tool),
  };
}

function itemOf({ id, kind, caller, project, options = [], ...item }: InboxItem, html: string): PageItem {
  return {
    id,
    kind,
    caller: safe(caller),
    project: project === undefined ? undefined : safe(project),
    html,
    options: options.map(safe),
    asked: item.askedAt.toISOString(),
    isSimple: item.isSimple,
    approval: item.approval && approvalOf(item.approval),
  };
}

function approvalOf(approval: Approval): PageApproval {
  const { claim = '', destroys = false, more } = approval;
  return {
    claim: safe(claim),
    destroys,
    object: objectOf(approval),
    html: renderCalls(approval),
    more: more.map((scope) => ({ scope, text: scopeWords(scope, approval) })),
    words: decisionWords(approval),
  };
}

function safe(text: string): string {
  return escapeInvisible(text);
}

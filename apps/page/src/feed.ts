import {
  type Approval,
  type ApprovalCall,
  type InboxChange,
  type InboxItem,
  followJournal,
  readJournal,
  type Journal,
  type JournalRecord,
} from '@deskside/desktop';
import { decisionWords, equalWords, foldOf, previewOf, scopeWords } from '@deskside/look';
import { once } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Log } from '@deskside/core';
import type { Clock } from '@deskside/core/base';
import { StartError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import { isRecent } from './http-clients.ts';
import {
  type PageApproval,
  type PageCall,
  type PageClient,
  type PageEvent,
  type PageItem,
  type PageRecord,
  PART,
} from './browser/protocol.ts';
import type { LateInbox } from './late-inbox.ts';

const NO_TEXTS = 'the page has no texts of notifications';
/** A page draws a part while the next one arrives. */
const RECORDS_PER_EVENT = 200;
/** How often it is looked who uses the desk. Also shows a page that its desk lives. */
const LOOK_INTERVAL_MS = 1000;
const PING_EVERY_LOOKS = 10;
/** No page shows what ended earlier: today began at most 25 hours ago. Each page that is open holds what it needs. */
const NEEDED_MS = 2 * 86_400_000;
/** A line of the list. The journal has no texts. */
const MAX_TEXTS = 1000;
/** Of a day. */
const MAX_NOTIFICATIONS = 10_000;
/** More than come while a text is looked for. */
const NEWER_NOTIFICATIONS = 100;
/** A record may come before its text is in the file. */
const TEXT_DELAYS_MS = [0, 500, 3000];

export interface NotificationText {
  /** Also of its record. */
  readonly id: string;
  /** info, warn or error. */
  readonly level: string;
  readonly message: string;
}

export interface FeedSources {
  readonly inbox: LateInbox;
  /** Undefined for a user without a home folder. */
  readonly journalFolder: string | undefined;
  /** What pages record. */
  readonly journal: Journal;
  /** @returns the newest ones. @throws if they cannot be read */
  readonly notifications: (count: number) => Promise<readonly NotificationText[]>;
  readonly clients: () => readonly PageClient[];
  /** @returns safe HTML of a text of others */
  readonly render: (text: string, plain: boolean) => string;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** What happens at the desk, for every page that is open. */
export class Feed {
  readonly #sources: FeedSources;
  /** What was asked since the desk runs, each in one line, by the id of the item. */
  readonly #texts = new Map<string, string>();
  /** By the ids of their records. */
  readonly #notifications = new Map<string, NotificationText>();

  constructor(sources: FeedSources) {
    this.#sources = sources;
    sources.inbox.subscribe((change) => {
      if (change.kind === 'open') this.#remember(change.item);
    });
  }

  #remember({ id, message, title }: InboxItem): void {
    const [oldest] = this.#texts.keys();
    if (this.#texts.size >= MAX_TEXTS && oldest !== undefined) this.#texts.delete(oldest);
    this.#texts.set(id, safe(previewOf(message.trim() || title)));
  }

  /** Sends what is, then what changes, until the signal is aborted. @throws if the journal cannot be read any more */
  async send(write: (event: PageEvent) => void, signal: AbortSignal): Promise<void> {
    const stop = this.#sources.inbox.subscribe((change) => {
      write(this.#eventOf(change));
    });
    const called = new Map<string, number>();
    const stopLooking = this.#lookAtClients(write, called);
    try {
      await this.#sendJournal(write, signal, called);
    } finally {
      stop();
      stopLooking();
    }
  }

  /** @param called when each client over HTTP has called last, in ms since 1970, by label */
  async #sendJournal(
    write: (event: PageEvent) => void,
    signal: AbortSignal,
    called: Map<string, number>,
  ): Promise<void> {
    const { journalFolder, clock, log } = this.#sources;
    let isFirst = true;
    /** What the page has as open: it also learns of an end on a later day. */
    const open = new Set<string>();
    const since = () => new Date(clock.now().getTime() - NEEDED_MS);
    const all = journalFolder === undefined ? [] : followJournal(journalFolder, {}, signal, clock, since);
    try {
      for await (const records of all) {
        for (const { transport, caller, asked } of records)
          if (transport === 'http') called.set(caller, Math.max(Date.parse(asked), called.get(caller) ?? 0));
        const today = this.#ofToday(records, open);
        for (const { id, outcome } of today) {
          if (outcome === undefined) open.add(id);
          else open.delete(id);
        }
        const sent = isFirst
          ? today.filter(({ outcome }, index) => outcome === undefined || index >= today.length - PART)
          : today;
        this.#sendRecords(sent, write);
        if (isFirst) {
          const agents = [...new Set(today.map(({ caller }) => safe(caller)))];
          write({ type: 'ready', earlier: today.length - sent.length, agents });
        }
        isFirst = false;
        void this.#sendNotifications(sent, write, signal);
      }
    } catch (error) {
      // A page that has records begins anew.
      if (!isFirst || !(error instanceof StartError)) throw error;
      log.error('the page does not show today', { error: error.message });
    }
    if (!isFirst) return;
    // Without a journal what needs the person comes all the same.
    write({ type: 'ready', earlier: 0, agents: [] });
    if (!signal.aborted) await once(signal, 'abort');
  }

  /** Sends all records of today with their texts, the newest last. @throws if the journal cannot be read */
  async sendToday(write: (event: PageEvent) => void): Promise<void> {
    const { journalFolder, clock, log } = this.#sources;
    if (journalFolder === undefined) return;
    const today = this.#ofToday(await readJournal(journalFolder, {}, clock));
    const notifications = today.filter(isNotification).length;
    if (this.#withoutText(today).length > 0)
      await this.#readNotifications(notifications + NEWER_NOTIFICATIONS).catch((error: unknown) =>
        log.warn(NO_TEXTS, { error }),
      );
    for (let start = 0; start < today.length; start += RECORDS_PER_EVENT) {
      this.#sendRecords(today.slice(start, start + RECORDS_PER_EVENT), write);
      // The desk works for agents in between.
      await setImmediate();
    }
  }

  /** A page has shown notifications to the person. @throws if the journal cannot be read */
  async see(ids: readonly unknown[]): Promise<void> {
    const { journal } = this.#sources;
    const records = await journal.records({ kind: 'notification' });
    for (const record of records.filter(isNotification)) {
      if (record.seen !== undefined || !ids.includes(record.id)) continue;
      const item = journal.begin(record);
      item.seen('page');
      item.end('delivered', 'page');
    }
  }

  /** What is open is of today. */
  #ofToday(
    records: readonly JournalRecord[],
    open: ReadonlySet<string> = new Set(),
  ): readonly JournalRecord[] {
    const now = this.#sources.clock.now();
    const startMs = new Date(now).setHours(0, 0, 0, 0);
    // A clock that was ahead once has recorded what is of a later day.
    const endMs = new Date(now).setHours(24, 0, 0, 0);
    return records.filter(({ id, asked, outcome }) => {
      const askedMs = Date.parse(asked);
      return outcome === undefined || open.has(id) || (askedMs >= startMs && askedMs < endMs);
    });
  }

  #withoutText(records: readonly JournalRecord[]): readonly JournalRecord[] {
    return records.filter((record) => isNotification(record) && !this.#notifications.has(record.id));
  }

  #sendRecords(records: readonly JournalRecord[], write: (event: PageEvent) => void): void {
    if (records.length > 0)
      write({ type: 'records', records: records.map((record) => this.#recordOf(record)) });
  }

  /** Sends records again, with their texts. */
  async #sendNotifications(
    records: readonly JournalRecord[],
    write: (event: PageEvent) => void,
    signal: AbortSignal,
  ): Promise<void> {
    let missing = this.#withoutText(records);
    try {
      for (const delayMs of TEXT_DELAYS_MS) {
        if (missing.length === 0) return;
        if (delayMs > 0) await setTimeout(delayMs, undefined, { signal, ref: false });
        await this.#readNotifications(missing.length + NEWER_NOTIFICATIONS);
        const found = missing.filter(({ id }) => this.#notifications.has(id));
        missing = this.#withoutText(missing);
        this.#sendRecords(found, write);
      }
    } catch (error) {
      if (!signal.aborted) this.#sources.log.warn(NO_TEXTS, { error });
    }
  }

  async #readNotifications(count: number): Promise<void> {
    const read = await this.#sources.notifications(Math.min(count, MAX_NOTIFICATIONS));
    for (const each of read) this.#notifications.set(each.id, each);
    for (const id of this.#notifications.keys()) {
      if (this.#notifications.size <= MAX_NOTIFICATIONS) return;
      this.#notifications.delete(id);
    }
  }

  #recordOf(record: JournalRecord): PageRecord {
    const { id, kind, caller, project, mount, tool, asked, seen, outcome, via, ms } = record;
    const { level, message } = this.#notifications.get(id) ?? {};
    return {
      id,
      kind,
      asked,
      seen,
      outcome,
      via,
      ms,
      mount,
      level,
      text: message === undefined ? this.#texts.get(id) : escapeInvisible(message, { multiline: true }),
      caller: safe(caller),
      project: project === undefined ? undefined : safe(project),
      tool: tool === undefined ? undefined : safe(tool),
    };
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

  #lookAtClients(write: (event: PageEvent) => void, called: ReadonlyMap<string, number>): () => void {
    const { clients: attached, clock } = this.#sources;
    let last = '';
    let looks = 0;
    const look = () => {
      const now = clock.now();
      const overHttp: PageClient[] = [...called].flatMap(([label, atMs]) =>
        isRecent(atMs, now) ? [{ label }] : [],
      );
      const clients = [...attached(), ...overHttp].map(({ label, session, hasNote }) => ({
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

function itemOf(
  { id, kind, caller, project, title, options = [], ...item }: InboxItem,
  html: string,
): PageItem {
  return {
    id,
    kind,
    caller: safe(caller),
    project: project === undefined ? undefined : safe(project),
    title: safe(title),
    html,
    options: options.map(safe),
    asked: item.askedAt.toISOString(),
    isSimple: item.isSimple,
    approval: item.approval && approvalOf(item.approval, item.calls),
  };
}

function approvalOf(approval: Approval, calls: readonly ApprovalCall[]): PageApproval {
  const { claim = '', more } = approval;
  return {
    takesReason: approval.offer === undefined,
    claim: safe(claim),
    calls: calls.map(callOf),
    more: more.map((scope) => ({ scope, text: scopeWords(scope, approval) })),
    words: decisionWords(approval),
  };
}

function callOf(call: ApprovalCall): PageCall {
  const { id = '', arguments: given } = call;
  const shown = given.map(({ name, value }) => ({
    name: safe(name),
    value: escapeInvisible(value, { multiline: true }),
    fold: foldOf(value),
  }));
  return { id, equal: equalWords(call), arguments: shown };
}

function safe(text: string): string {
  return escapeInvisible(text);
}

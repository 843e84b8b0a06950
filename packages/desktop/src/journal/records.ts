import type { RequestContext } from '@deskside/core';
import { uniqueId } from '@deskside/core/base';
import { DEFAULT_KEEP, type Keep } from './keep.ts';
import type { DeskDatabase } from '../database/desk-database.ts';

/**
 * What happens between agents and the person, as one record per item: who, what kind, when, how it ended, and what was
 * said.
 */

export const ITEM_KINDS = ['question', 'news', 'notification', 'approval', 'call'] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/** How an item ended. */
export type ItemOutcome =
  // A question or an approval.
  | 'answered'
  | 'allowed'
  | 'denied'
  /** The person canceled. For a call: its client did. */
  | 'cancelled'
  /** The person closed the window, or it was lost. */
  | 'dismissed'
  | 'timed out'
  /** A later item of the same session took its place. */
  | 'replaced'
  /** Its call ended before the person answered. */
  | 'withdrawn'
  /** Nothing could show it. */
  | 'not shown'
  /** Its process ended before it. */
  | 'interrupted'
  // News or a notification.
  | 'closed'
  | 'delivered'
  | 'stored'
  | 'lost'
  // A call.
  | 'ok'
  | 'error'
  /** A defect. */
  | 'failed'
  /** The mount has no such tool. */
  | 'unknown'
  | 'input required';

/** Where the person answered or saw an item. */
export type Via = 'window' | 'form' | 'page' | 'phone' | 'desktop' | 'terminal';

/** What was said. Known forms of secrets are replaced. */
export interface ItemContent {
  /** The question, the news, the notification, or what is to be allowed. */
  readonly text?: string | undefined;
  /** What the person answered; of an approval the reason of a denial, or for how long it was allowed. */
  readonly answer?: string | undefined;
  /** Of a notification: info, warn or error. */
  readonly level?: string | undefined;
  /** The folder of the caller's project. */
  readonly folder?: string | undefined;
}

/** What is known when an item begins. */
export interface ItemStart {
  /** Default: a new id. Several writers may describe one item: a call, and the question that it asks. */
  readonly id?: string | undefined;
  readonly kind: ItemKind;
  /** As people read it. */
  readonly caller: string;
  readonly user: string;
  /** The name of the token, or of the attached client. */
  readonly token?: string | undefined;
  readonly project?: string | undefined;
  readonly session?: string | undefined;
  /** Id of a mount of the aggregator. */
  readonly mount?: string | undefined;
  /** The tool's own name. */
  readonly tool?: string | undefined;
  /** The display on which the person was asked to decide. */
  readonly display?: string | undefined;
  /** Of a call that came over HTTP. */
  readonly transport?: 'http' | undefined;
  /** Of a call: nothing. */
  readonly content?: ItemContent | undefined;
}

/** One item as it is read. Times are ISO 8601 with the offset of the local time. */
export interface JournalRecord extends ItemStart {
  readonly id: string;
  readonly asked: string;
  readonly shown?: string | undefined;
  /** When the person saw it. */
  readonly seen?: string | undefined;
  /** Undefined for an open item, and if its process ended before it. */
  readonly ended?: string | undefined;
  /** Undefined for an open item. */
  readonly outcome?: string | undefined;
  readonly via?: string | undefined;
  /** Duration of the call, or of an item that no call asked. */
  readonly ms?: number | undefined;
}

/** An item that has begun. Each method counts once, and the first end is the end. */
export interface JournalItem {
  readonly id: string;
  shown(): void;
  seen(via?: Via): void;
  end(outcome: ItemOutcome, via?: Via, answer?: string): void;
}

/** Which records to read. */
export interface JournalFilter {
  /** Only these items; unknown ids have no record. The others are not looked at. */
  readonly ids?: ReadonlySet<string> | undefined;
  readonly project?: string | undefined;
  readonly kind?: string | undefined;
  readonly isOpen?: true | undefined;
  /** Only items with texts. */
  readonly hasContent?: true | undefined;
  /** What began then or later, and what is open. */
  readonly since?: Date | undefined;
  /** Further conditions. */
  readonly matches?: ((record: JournalRecord) => boolean) | undefined;
  /** The newest ones. */
  readonly limit?: number | undefined;
}

/** What the programs of this user know together. No method fails for a reason outside of this program. */
export interface Journal extends AsyncDisposable {
  /** One sentence for people if it is not stored as it should be. Known after the first use. */
  readonly problem: string | undefined;
  /** Where it is stored, for what else the programs of a user share. */
  readonly database?: DeskDatabase;
  /**
   * Begins an item. With the id of a call it describes the same item more precisely: kind and outcome are those of the
   * question, not those of the call. With the id of an item of another process it continues that item.
   */
  begin(start: ItemStart): JournalItem;
  /** What all processes have written, the newest last. */
  records(filter?: JournalFilter): Promise<readonly JournalRecord[]>;
  /**
   * Yields what `records` returns, and then each record that has changed, until the signal is aborted. The limit of the
   * filter is that of the first value.
   */
  follow(filter: JournalFilter, signal: AbortSignal): AsyncGenerator<readonly JournalRecord[]>;
  /** What holds now under a name; undefined for nothing. The last known value if it cannot be read at once. */
  state(name: string): string | undefined;
  /** @param change of the value that all processes know when it is written */
  changeState(name: string, change: StateChange): void;
  /** The person chooses how long items are kept, for all programs. What is older is deleted. @returns what holds now */
  keep(change: Partial<Keep>): Promise<Keep>;
}

/** The new value of a state. It may be asked several times. */
export type StateChange = (before: string | undefined) => string;

/** The start of an item that a request asks for; several items of one request are one record. */
export function itemOf(
  kind: ItemKind,
  { correlationId, caller }: Pick<RequestContext, 'correlationId' | 'caller'>,
): ItemStart & { readonly id: string } {
  const { principal, session, project } = caller;
  return {
    id: correlationId,
    kind,
    caller: caller.label(),
    user: principal.user,
    token: principal.token,
    project,
    session,
  };
}

/** Records no texts. */
export function withoutContent(journal: Journal): Journal {
  return {
    ...journal,
    get problem() {
      return journal.problem;
    },
    begin({ content: _, ...start }) {
      const item = journal.begin(start);
      return { ...item, end: (outcome, via) => item.end(outcome, via) };
    },
  };
}

/** Records nothing, and knows what holds in this process only. */
export function memoryJournal(): Journal {
  const states = new Map<string, string>();
  return {
    problem: undefined,
    begin: ({ id = uniqueId() }) => ({ id, shown: nothing, seen: nothing, end: nothing }),
    records: async () => [],
    async *follow() {
      yield [];
    },
    state: (name) => states.get(name),
    changeState: (name, change) => void states.set(name, change(states.get(name))),
    keep: async (change) => ({ ...DEFAULT_KEEP, ...change }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

export const noJournal: Journal = memoryJournal();

function nothing(): void {}

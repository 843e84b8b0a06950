import { uniqueId } from '@deskside/core/base';

/**
 * What happens between agents and the person, as one record per item: who, what kind, when, and how it ended. No texts:
 * those are where their owner stores them, and are found by the id of the item.
 */

export type ItemKind = 'question' | 'news' | 'notification' | 'approval' | 'call';

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
  /** Of a call that came over HTTP. */
  readonly transport?: 'http' | undefined;
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
  end(outcome: ItemOutcome, via?: Via): void;
}

/** Which records to read. */
export interface JournalFilter {
  /** Only these items; unknown ids have no record. A journal has tens of thousands, and the others are not looked at. */
  readonly ids?: ReadonlySet<string> | undefined;
  /** Part of the caller or of the token, in any case. */
  readonly agent?: string | undefined;
  readonly project?: string | undefined;
  readonly kind?: string | undefined;
  readonly isOpen?: boolean | undefined;
  /** The newest ones. */
  readonly limit?: number | undefined;
}

/** Writing never fails and never waits. */
export interface Journal extends AsyncDisposable {
  /**
   * Begins an item. With the id of a call it describes the same item more precisely: kind and outcome are those of the
   * question, not those of the call. With the id of an item of another process it continues that item.
   */
  begin(start: ItemStart): JournalItem;
  /** What all processes have written, the newest last. @throws StartError if it cannot be read */
  records(filter?: JournalFilter): Promise<readonly JournalRecord[]>;
}

/** What a request knows about its item. */
export interface ItemRequest {
  readonly correlationId: string;
  readonly caller: {
    readonly principal: { readonly user: string; readonly token?: string };
    readonly session: string | undefined;
    readonly project: string | undefined;
    label(): string;
  };
}

/** The start of an item that a request asks for; several items of one request are one record. */
export function itemOf(
  kind: ItemKind,
  { correlationId, caller }: ItemRequest,
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

/** Records nothing. */
export const noJournal: Journal = {
  begin: ({ id = uniqueId() }) => ({ id, shown: nothing, seen: nothing, end: nothing }),
  records: async () => [],
  [Symbol.asyncDispose]: async () => undefined,
};

function nothing(): void {}

/** What the desk and its page say to each other. Texts of others are escaped by the desk. */

/** Something that waits for the person. */
export interface PageItem {
  readonly id: string;
  readonly kind: string;
  readonly caller: string;
  readonly project?: string | undefined;
  /** Safe HTML, the same as in the window. */
  readonly html: string;
  /** Quick replies. */
  readonly options: readonly string[];
  /** ISO 8601. */
  readonly asked: string;
  /** False: only its window can be used, because it asks several things at once. */
  readonly isSimple: boolean;
  /** The calls that wait for a decision. */
  readonly approval?: PageApproval | undefined;
}

export interface PageApproval {
  /** The tool, and what its server says of it. */
  readonly claim: string;
  readonly destroys: boolean;
  /** Behind the sentence while one call waits: `order 2026-1187` */
  readonly object: string;
  /** Safe HTML of the calls that wait, of one tool with different arguments, the same as in the window. */
  readonly html: string;
  /** For how long a call can be allowed besides once, and what the button says. */
  readonly more: readonly { readonly scope: 'session' | 'always'; readonly text: string }[];
  /** Of the buttons, if one call waits and if there are several; what stands in the box for a reason, if there is one. */
  readonly words: Readonly<Record<'deny' | 'allow', { readonly one: string; readonly all: string }>> & {
    readonly reason: string;
  };
}

/** A record of the journal. */
export interface PageRecord {
  readonly id: string;
  readonly kind: string;
  readonly caller: string;
  readonly project?: string | undefined;
  readonly mount?: string | undefined;
  readonly tool?: string | undefined;
  /** ISO 8601 with the offset of the local time. */
  readonly asked: string;
  /** Undefined for an open item. */
  readonly outcome?: string | undefined;
  readonly ms?: number | undefined;
  /** ISO 8601. */
  readonly seen?: string | undefined;
  /** What was asked or reported, while it is kept: of a question in one line. */
  readonly text?: string | undefined;
  /** What the person answered; of an approval why it was denied, or for how long it is allowed. */
  readonly answer?: string | undefined;
  /** Of a notification: info, warn or error. */
  readonly level?: string | undefined;
}

/** An agent that uses the desk. */
export interface PageClient {
  /** Of a client on this machine: it can be shown and told something. */
  readonly session?: string | undefined;
  /** True while it has not read what the person told it. */
  readonly hasNote?: boolean | undefined;
  readonly label: string;
}

/** Rows that a page draws at once. */
export const PART = 40;

/** One line of the stream. */
export type PageEvent =
  | { readonly type: 'item'; readonly item: PageItem }
  | {
      readonly type: 'ended';
      readonly id: string;
      readonly outcome: string;
      readonly via?: string | undefined;
    }
  /** What is open and the newest ones of today, the newest last; the earlier ones; then each that has changed. */
  | { readonly type: 'records'; readonly records: readonly PageRecord[]; readonly areEarlier?: true }
  | { readonly type: 'clients'; readonly clients: readonly PageClient[] }
  /** What a page shows first was sent. */
  | { readonly type: 'ready' }
  /** As many newer pages are open as the desk serves: the stream ends. */
  | { readonly type: 'replaced' }
  | { readonly type: 'ping' };

/** What the person does with an item. */
export type PageAnswer =
  | { readonly kind: 'text'; readonly text: string }
  /** A quick reply by its place: the page has only its escaped form. */
  | { readonly kind: 'option'; readonly index: number }
  | { readonly kind: 'cancel' }
  /** Of an approval, for the calls that the page shows. */
  | {
      readonly kind: 'allow';
      readonly scope: 'once' | PageApproval['more'][number]['scope'];
      readonly ids: readonly string[];
    }
  | { readonly kind: 'deny'; readonly text: string; readonly ids: readonly string[] }
  /** News was read. */
  | { readonly kind: 'close' };

export interface PageTask {
  readonly id: number;
  readonly title: string;
  readonly due?: string | undefined;
  /** How often it comes back: `2 weeks`. */
  readonly every?: string | undefined;
  /** The last agent that claimed it, which works on it until this time in ISO 8601. */
  readonly holder?: { readonly label: string; readonly until: string } | undefined;
}

/** A task is done. */
export interface PageDone {
  /** The task that follows a recurring one. */
  readonly next?: PageTask | undefined;
}

export interface PageTasks {
  readonly tasks: readonly PageTask[];
  /** Pending tasks that are not in the list. */
  readonly more: number;
}

/** Of a request: 10,000 characters of any script, escaped. */
export const MAX_BODY_BYTES = 256 * 1024;

/** The header of every request but the first. */
export const KEY_HEADER = 'deskside-key';

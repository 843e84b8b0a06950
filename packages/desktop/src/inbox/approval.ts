/** A line below the text of a part, with its sign. */
export interface ReviewLine {
  readonly text: string;
  readonly mark?: 'added' | 'removed' | 'warning';
}

/** Something of what a yes accepts. All texts are of other programs. */
export interface ReviewPart {
  /** `tool write_file` */
  readonly title: string;
  /** True if it stands above the following parts. */
  readonly isHeading?: boolean;
  readonly state?: 'new' | 'changed' | 'gone';
  /** What it says of itself: `destroys data`. */
  readonly claim?: string;
  readonly text?: string;
  readonly lines?: readonly ReviewLine[];
  /** JSON Schema of its arguments. Of a tool that has one a yes does not need the fields, which are folded. */
  readonly schema?: unknown;
  /** What programs read of it. */
  readonly fields?: readonly ReviewLine[];
}

/** All that a yes accepts. The window takes no yes before each part was in view. */
export interface Review {
  readonly parts: readonly ReviewPart[];
  /** True if the person can also accept it without the tools that do more than read. */
  readonly offersReading: boolean;
}

/** How long a yes counts. */
export type Scope = 'once' | 'session' | 'always';

/** A call that waits for a decision. All texts are of other programs. */
export interface ApprovalCall {
  /** Names it in an answer. Undefined if nothing else is to be decided on. */
  readonly id?: string;
  readonly arguments: readonly { readonly name: string; readonly value: string }[];
  /** How many equal calls wait. */
  readonly calls: number;
}

/** What the person decides on. */
export interface Approval extends ApprovalCall {
  /** Further calls of the same tool, with other arguments. */
  readonly others?: readonly ApprovalCall[];
  /** The tool, and what its server says of it. */
  readonly claim?: string;
  /** True if the server says that it destroys data. */
  readonly destroys?: boolean;
  /** What the person can choose besides `once`, in this order. */
  readonly more: readonly Exclude<Scope, 'once'>[];
  /** True if `always` is for exactly these arguments. */
  readonly isExact: boolean;
  /** What is accepted, instead of a call. */
  readonly review?: Review;
  /** What the person can begin, instead of a call: what the buttons say. */
  readonly offer?: { readonly accept: string; readonly refuse: string };
}

export function callsOf(approval: Approval): readonly ApprovalCall[] {
  return [approval, ...(approval.others ?? [])];
}

/** `ids` names the calls that the person saw; without it there is only one. */
export type Decision =
  | {
      readonly kind: 'allowed';
      readonly scope: Scope;
      readonly ids?: readonly string[] | undefined;
      /** Of a review: without the tools that do more than read. */
      readonly isReadingOnly?: true;
    }
  | { readonly kind: 'denied'; readonly text: string; readonly ids?: readonly string[] | undefined };

/**
 * What a decision means for the calls that wait now.
 *
 * @returns undefined if none of its calls waits anymore, or if it allows more than the person was offered
 */
export function decisionFor(approval: Approval, given: Decision): Decision | undefined {
  const isOffered =
    given.kind === 'denied' ||
    ((given.scope === 'once' || approval.more.includes(given.scope)) &&
      (given.isReadingOnly !== true || approval.review?.offersReading === true));
  if (!isOffered) return undefined;
  const { ids = [], ...decision } = given;
  if (approval.id === undefined) return decision;
  const known = ids.filter((id) => callsOf(approval).some((call) => call.id === id));
  return known.length === 0 ? undefined : { ...decision, ids: known };
}

/** A line below the text of a part, with its sign. */
export interface ReviewLine {
  readonly text: string;
  /** `suspicious`: added, and about it there is a warning. */
  readonly mark?: 'added' | 'removed' | 'suspicious' | 'warning';
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

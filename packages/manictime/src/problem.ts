/** The codes of this server, beside those that all servers share. */
export type ProblemCode =
  | 'BUSY'
  | 'NOT_FOUND'
  | 'UNAVAILABLE'
  | 'INVALID_ARGUMENT'
  | 'INVALID_DATE'
  | 'INVALID_RANGE'
  | 'RANGE_TOO_LARGE'
  | 'DATA_DIRECTORY_UNRESOLVED'
  | 'DATABASE_NOT_FOUND'
  | 'DATABASE_DAMAGED'
  | 'SCHEMA_UNSUPPORTED'
  | 'IMAGE_UNREADABLE'
  | 'IMAGE_TOO_LARGE'
  | 'EMPTY_CROP'
  | 'ROOTS_UNSUPPORTED'
  | 'NO_ROOTS'
  | 'PATH_OUTSIDE_ROOTS'
  | 'UNSUPPORTED_EXTENSION'
  | 'FILE_EXISTS'
  | 'WRITE_FAILED'
  | 'PARTIAL_CROP';

/** What went wrong and what to do about it, in words that a model may read: no path of the machine, no SQL. */
export interface ProblemText {
  readonly code: ProblemCode;
  /** One sentence. */
  readonly error: string;
  readonly hint: string;
}

/** A failure that somebody can do something about. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly text: ProblemText;

  /** @param options `cause` holds what only the log may say */
  constructor(text: ProblemText, options?: ErrorOptions) {
    super(text.error, options);
    this.text = text;
  }
}

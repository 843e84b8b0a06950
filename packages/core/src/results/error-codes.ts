/** The codes every server shares; a package adds its own in the same form. */
export const ERROR_CODES = {
  INVALID_ARGUMENT: 'An argument is missing, of the wrong type or out of its range.',
  INVALID_DATE: 'An argument is no ISO-8601 date or datetime, or names a day that does not exist.',
  INVALID_RANGE: 'A range ends before or where it starts.',
  RANGE_TOO_LARGE: 'A range is longer than the tool answers in one call.',
  NOT_FOUND: 'What was named does not exist.',
  BUSY: 'Something else holds what the call needs; the same call may succeed later.',
  RATE_LIMITED: 'Too many calls; the hint says when to go on.',
  UNAVAILABLE: 'What the tool depends on cannot be reached or read.',
  INTERNAL: 'A defect of the server; its log has the details.',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES | (string & {});

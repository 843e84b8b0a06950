/**
 * Errors that a model or a person can act on. Domain code throws `UserError`; tools, resources, prompts and programs
 * each have one place that turns it into their answer. No MCP and no Zod here: domain code may import this. So the
 * names of tools and the notes of answers are here, too.
 */

/** The codes that every server shares; a package adds its own in the same form. */
export const ERROR_CODES = {
  INVALID_ARGUMENT: 'An argument is missing, has the wrong type or is out of range.',
  INVALID_DATE: 'An argument is not an ISO 8601 date or date-time, or names a day that does not exist.',
  INVALID_RANGE: 'A range does not end after it starts.',
  RANGE_TOO_LARGE: 'A range is longer than the tool answers in one call.',
  NOT_FOUND: 'The named item does not exist.',
  BUSY: 'Another process holds a resource that the call needs; the same call may succeed later.',
  RATE_LIMITED: 'Too many calls; the hint says when to continue.',
  UNAVAILABLE: 'A resource that the tool depends on cannot be reached or read.',
  INTERNAL: 'A defect of the server; its log has the details.',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES | (string & {});

/** A tool's name as the client sees it: under a mount it carries the mount's prefix. */
export type ToolName = (name: string) => string;

/** A text that may name tools. */
export type Text = string | ((toolName: ToolName) => string);

/** Names without a prefix. Always this function: listings are cached per function. */
export const identityName: ToolName = (name) => name;

export function textOf(text: Text, toolName: ToolName): string {
  return typeof text === 'string' ? text : text(toolName);
}

/** An error in Deskside's own form, sent as JSON. */
export interface CodedFailure {
  /** One sentence: what is wrong. */
  readonly error: string;
  readonly code: ErrorCode;
  /** One sentence: what to do next. */
  readonly hint: Text;
}

/** An error whose first block a contract fixes: a text, or an object that is sent as JSON. */
export interface FixedFailure {
  readonly exactly: string | Readonly<Record<string, unknown>>;
  /** A second block that names the next step, if the fixed text says too little. */
  readonly next?: Text;
}

const BRAND = Symbol.for('deskside.UserError');

/**
 * A failure that the caller can do something about. Everything else that is thrown is a defect: it is logged, and the
 * caller reads `Internal error`.
 */
export class UserError extends Error {
  /** Two copies of core in one process recognize each other's errors by this. */
  readonly [BRAND] = true;
  readonly failure: CodedFailure | FixedFailure;

  constructor(failure: CodedFailure | FixedFailure, options?: ErrorOptions) {
    super(blocksOf(failure, identityName)[0], options);
    this.name = 'UserError';
    this.failure = failure;
  }

  static is(value: unknown): value is UserError {
    return typeof value === 'object' && value !== null && BRAND in value;
  }

  /** One line for a person at a terminal: what is wrong, and what to do next. */
  sentence(): string {
    if ('code' in this.failure) return sentences(this.failure.error, textOf(this.failure.hint, identityName));
    const { exactly, next } = this.failure;
    const stated = typeof exactly === 'object' && 'error' in exactly ? exactly['error'] : exactly;
    const error = typeof stated === 'string' ? stated : JSON.stringify(stated);
    return next === undefined ? sentences(error) : sentences(error, textOf(next, identityName));
  }
}

/** Contracts and authors end some of their texts without a period. */
function sentences(...texts: readonly string[]): string {
  return texts.map((text) => (/[\p{L}\p{N}"')\]}]$/u.test(text) ? `${text}.` : text)).join(' ');
}

/** The text blocks of a tool result. */
export function blocksOf(failure: CodedFailure | FixedFailure, toolName: ToolName): readonly string[] {
  if ('code' in failure) {
    const { error, code, hint } = failure;
    return [JSON.stringify({ error, code, hint: textOf(hint, toolName) })];
  }
  const { exactly, next } = failure;
  const first = typeof exactly === 'string' ? exactly : JSON.stringify(exactly);
  return next === undefined ? [first] : [first, textOf(next, toolName)];
}

/** What to say if a native part of a library, a `.node` file, does not load; undefined for other errors. */
export function nativeFailure(cause: unknown): (CodedFailure & { hint: string }) | undefined {
  const [, library] = /([\w-]+)[\\/](?:build|prebuilds)[\\/].*\.node/.exec(messageOf(cause)) ?? [];
  if (library === undefined) return undefined;
  const hint = `Install the server again. ${library} brings its native parts, for all usual systems.`;
  return { error: `The native part of ${library} for this system does not load`, code: 'UNAVAILABLE', hint };
}

/** Stops a program with one line on stderr that says what is wrong and how to correct it. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** What the work returns; something else if a StartError stops it, for example without a home folder. */
export function unlessStartFails<Value, Other = undefined>(
  work: () => Value,
  otherwise?: (error: StartError) => Other,
): Value | Other {
  try {
    return work();
  } catch (error) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without `otherwise`, Other is undefined
    if (error instanceof StartError) return otherwise?.(error) as Other;
    throw error;
  }
}

/** Something that an answer had to do without, or the reason why it is empty. */
export interface DiagnosticNote {
  readonly reasonCode: string;
  readonly remediationHint: string;
  /** False for a reason that is not a fault: no data exists in that range. */
  readonly degraded: boolean;
}

/** The code of a system error (`ENOENT`), also of errors of libraries that set one; undefined for other values. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** What the system refuses, and what to do, by the code of its error, or by the code and the call. */
const REFUSALS: Readonly<Record<string, readonly [words: string, remedy: string]>> = {
  EACCES: ['this user may not use it', 'Change its permissions'],
  'EEXIST mkdir': ['a file has the name of this folder', 'Move that file away'],
  EISDIR: ['it is a folder', 'Move it away'],
  ELOOP: ['its links lead in a circle', 'Correct the links'],
  EMFILE: ['too many files are open', 'Raise the limit of open files'],
  ENOSPC: ['the disk is full', 'Free some space'],
  'ENOSPC watch': ['too many files are watched', 'Raise the limit of watched files'],
  ENOTDIR: ['a part of its path is a file', 'Move that file away'],
  EROFS: ['the file system is read-only', 'Choose another folder'],
  // So Node.js reports a read-only file system, too.
  'ENOENT mkdir': ['the folder cannot be created', 'Choose another folder'],
};

function refusalOf(error: unknown): readonly [words?: string, remedy?: string] {
  const code = errnoOf(error);
  if (!(error instanceof Error) || !('syscall' in error)) return [];
  return REFUSALS[`${code} ${String(error.syscall)}`] ?? REFUSALS[`${code}`] ?? [];
}

/** What a person can do about an error of the system, without a period. */
export function remedyOf(error: unknown): string | undefined {
  return refusalOf(error)[1];
}

/** The message of anything that was thrown; of a connection that failed at several addresses, all. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join(', ');
  if (!(error instanceof Error)) return String(error);
  const [words] = refusalOf(error);
  if (words === undefined) return error.message;
  return `${'path' in error ? `${String(error.path)}: ` : ''}${words} (${errnoOf(error)})`;
}

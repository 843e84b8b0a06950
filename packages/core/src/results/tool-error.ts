import type { ErrorCode } from './error-codes.ts';

const BRAND = Symbol.for('deskside.ToolError');

/** An error in the house form. */
export interface CodedFailure {
  /** One sentence: what is wrong. */
  readonly error: string;
  readonly code: ErrorCode;
  /** One sentence: what to do now. */
  readonly hint: string;
}

/** An error whose first block a contract fixes: a text as it is, an object as JSON. */
export interface FixedFailure {
  readonly exactly: string | Readonly<Record<string, unknown>>;
  /** A constant second block, where the fixed text tells the model too little. */
  readonly next?: string;
}

/**
 * A failure the model can do something about, thrown by a tool. Anything else that is thrown is a defect: it
 * is logged, and the model reads `Internal error`.
 */
export class ToolError extends Error {
  /** Copies of core in one process recognise each other's errors by this. */
  readonly [BRAND] = true;
  readonly failure: CodedFailure | FixedFailure;
  /** The text blocks of the result. */
  readonly blocks: readonly string[];

  constructor(failure: CodedFailure | FixedFailure, options?: ErrorOptions) {
    const blocks = blocksOf(failure);
    super(blocks[0], options);
    this.name = 'ToolError';
    this.failure = failure;
    this.blocks = blocks;
  }

  static is(value: unknown): value is ToolError {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}

function blocksOf(failure: CodedFailure | FixedFailure): string[] {
  if ('code' in failure) {
    const { error, code, hint } = failure;
    return [JSON.stringify({ error, code, hint })];
  }
  const { exactly, next } = failure;
  const first = typeof exactly === 'string' ? exactly : JSON.stringify(exactly);
  return next === undefined ? [first] : [first, next];
}

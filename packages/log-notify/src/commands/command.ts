import type { Writable } from 'node:stream';
import type { z } from 'zod';
import type { Environment } from '../platform/this-process.ts';

/** Where a command writes and what it knows of where it runs. */
export interface Terminal {
  readonly output: Writable & { readonly isTTY?: boolean };
  /** Aborted when nobody reads the output any more. */
  readonly closed: AbortSignal;
  readonly input: AsyncIterable<string | Uint8Array>;
  readonly env: Environment;
  /** A line for the person, beside the output. */
  readonly note: (line: string) => void;
}

export interface CommandSpec<Shape extends z.ZodRawShape> {
  readonly name: string;
  /** Between the command's name and `[options]`: `MESSAGE…`. */
  readonly operands: string;
  /** What it does: a sentence, the first of its help, and paragraphs after it. */
  readonly help: string;
  readonly flags: Shape;
  /** Short forms of flags that fingers know, by the flags' names. */
  readonly letters?: Readonly<Record<string, string>>;
  /** @throws CommandFailed */
  readonly run: (
    flags: z.output<z.ZodObject<Shape>>,
    operands: readonly string[],
    terminal: Terminal,
  ) => Promise<void>;
}

/** What a command could not do: one line for the person. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

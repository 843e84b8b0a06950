import { Readable } from 'node:stream';
import type { Command } from '@deskside/core/program';
import { recordedContext } from '@deskside/testkit';

interface Given {
  readonly flags?: Readonly<Record<string, string | boolean>>;
  readonly operands?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** Columns of a terminal. Default: the output is a pipe. */
  readonly terminal?: number;
}

/** Runs a command in this process. */
export async function runCommand(
  command: Command,
  { flags = {}, operands = [], env = {}, input = '', terminal }: Given,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const context = recordedContext(terminal === undefined ? {} : { isTTY: true, columns: terminal });
  const code = await command.run(flags, { ...context, operands, env, input: Readable.from([input]) });
  return { code: code ?? 0, stdout: context.written.output, stderr: context.written.notes };
}

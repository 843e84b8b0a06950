import type { CommandContext } from '@deskside/core/program';
import { escapeInvisible } from '@deskside/core/text';
import cliTruncate from 'cli-truncate';

/** A line as long as a terminal is wide; whole for a program that reads it. An East Asian character takes two columns. */
export function cutToTerminal(line: string, { isTTY, columns = 0 }: CommandContext['output']): string {
  // A terminal that does not know its size says 0.
  return isTTY === true && columns > 0 ? cliTruncate(line, columns) : line;
}

/** Prints the lines of a table. */
export function printRows(lines: readonly string[], { print, output }: CommandContext): void {
  for (const line of lines) print(cutToTerminal(escapeInvisible(line), output));
}

import type { CommandContext } from '@deskside/core/program';
import { escapeInvisible } from '@deskside/core/text';
import terminalWidth from 'fast-string-truncated-width';

/** A line as long as a terminal is wide; whole for a program that reads it. An East Asian character takes two columns. */
export function cutToTerminal(line: string, { isTTY, columns = 0 }: CommandContext['output']): string {
  // A terminal that does not know its size says 0.
  if (isTTY !== true || columns === 0) return line;
  for (let limit = columns; ; limit -= 1) {
    const { index, truncated } = terminalWidth(line, { limit, ellipsis: '…' });
    const cut = truncated ? `${line.slice(0, index)}…` : line;
    // The library counts Greek or Cyrillic letters and signs such as ✓ only after what is behind them.
    if (terminalWidth(cut).width <= columns) return cut;
  }
}

/** Prints the lines of a table. */
export function printRows(lines: readonly string[], { print, output }: CommandContext): void {
  for (const line of lines) print(cutToTerminal(escapeInvisible(line), output));
}

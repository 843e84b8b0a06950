import { readFileSync } from 'node:fs';
import { parseJsonLine } from '../notification/json-line.ts';

/** The lines of a file that must end with a line feed. */
export function linesIn(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  if (lines.pop() !== '') throw new Error(`${file} does not end with a line feed`);
  return lines;
}

/** The first two words of each message, sorted. A line that is not a notification is marked. */
export function sortedMessages(lines: readonly string[]): string[] {
  return lines
    .map((line) => parseJsonLine(line)?.message.split(' ').slice(0, 2).join(' ') ?? `torn: ${line}`)
    .toSorted();
}

import * as z from 'zod';

const item = z.object({
  id: z.string().max(100),
  /** The process that can show it. */
  process: z.string().max(100),
  kind: z.enum(['question', 'news']),
  caller: z.string().max(500),
  /** ISO 8601, in UTC. */
  since: z.iso.datetime(),
  /** The first line of its message. */
  firstLine: z.string().max(1000),
  /** Milliseconds of the wall clock. Items are shown in this order, questions before news. */
  place: z.number(),
});

/** A popup that waits for its turn on the desktop. */
export type DeskItem = Readonly<z.output<typeof item>>;

export function inOrder(items: readonly DeskItem[]): DeskItem[] {
  return items.toSorted(
    (a, b) =>
      Number(a.kind === 'news') - Number(b.kind === 'news') || a.place - b.place || (a.id < b.id ? -1 : 1),
  );
}

/** One line of JSON between the process that has the desk and one that waits for it. */
const line = z.union([
  /** From a process that waits: all that it wants to show. */
  z.object({ process: z.string(), items: z.array(item).readonly() }),
  /** From the holder: the process that follows it; '' if none is known. */
  z.object({ next: z.string() }),
]);

export type Line = z.output<typeof line>;

/** @returns undefined for a line that this version does not know: another version may send it */
export function readLine(message: object): Line | undefined {
  return line.safeParse(message).data;
}

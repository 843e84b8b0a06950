import * as z from 'zod';

const item = z.object({
  id: z.string().max(100),
  process: z.string().max(100),
  kind: z.enum(['question', 'news']),
  caller: z.string().max(500),
  since: z.iso.datetime(),
  firstLine: z.string().max(1000),
  place: z.number(),
});

/** One line of JSON between the process that has the desk and one that waits for it. */
const line = z.union([
  /** From a process that waits: all that it wants to show. */
  z.object({ process: z.string(), items: z.array(item).readonly() }),
  /** From a process that waits: it has the desk now. */
  z.object({ taken: z.literal(true) }),
  /** From a process that waits: it wants to show nothing anymore. */
  z.object({ declined: z.literal(true) }),
  /** From the holder: what waits in all processes. */
  z.object({ all: z.array(item).readonly() }),
  /** From the holder, which has this number: take the desk. */
  z.object({ take: z.int() }),
]);

export type Line = z.output<typeof line>;

/** @returns undefined for a line that this version does not know: another version may send it */
export function readLine(message: object): Line | undefined {
  return line.safeParse(message).data;
}

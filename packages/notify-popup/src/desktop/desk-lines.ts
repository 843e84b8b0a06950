import type { Socket } from 'node:net';
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

const MAX_LINE_CHARACTERS = 1024 * 1024;

/** Ignores lines that it does not know: another version may send them. @returns the function that sends */
export function exchangeLines(socket: Socket, receive: (line: Line) => void): (line: Line) => void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('error', () => undefined);
  socket.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_CHARACTERS) socket.destroy();
    for (const text of lines) {
      const parsed = parse(text);
      if (parsed !== undefined) receive(parsed);
    }
  });
  return (message) => {
    if (!socket.destroyed && socket.writable) socket.write(`${JSON.stringify(message)}\n`);
  };
}

function parse(text: string): Line | undefined {
  try {
    return line.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

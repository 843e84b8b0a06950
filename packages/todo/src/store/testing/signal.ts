import { createReadStream, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const input = createInterface({ input: createReadStream('', { fd: 0 }) })[Symbol.asyncIterator]();

/** For a program under test: prints a line before it goes on, so that a kill can't lose it. */
export function say(line: string): void {
  writeSync(1, `${line}\n`);
}

/** For a program under test: resolves with the next line that the test sends. */
export async function told(): Promise<string> {
  const { value } = await input.next();
  return value ?? '';
}

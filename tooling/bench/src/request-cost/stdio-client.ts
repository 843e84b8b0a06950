import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Call, initializeParams, resultOf } from './call.ts';

/** A client of 2025-11-25 on a program's stdin and stdout; one request at a time. */
export async function stdioClient({ stdin, stdout }: ChildProcess): Promise<Call> {
  if (stdin === null || stdout === null) throw new Error('The program has no pipes.');
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const send = (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let id = 0;
  const call: Call = async (method, params) => {
    id += 1;
    send({ id, method, params });
    for (;;) {
      const { value, done } = await lines.next();
      if (done === true) throw new Error('The program has ended.');
      // A program may announce changes before it answers.
      if (!value.includes('"method":"notifications/')) return resultOf(value);
    }
  };
  await call('initialize', initializeParams);
  send({ method: 'notifications/initialized' });
  return call;
}

import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';

const pipeMessage = z.object({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).default({}),
});

/**
 * The debugging protocol of Chromium over the pipes that `--remote-debugging-pipe` opens: JSON, a zero byte after
 * each message. Nobody but who started the browser holds them, and it ends when they are closed.
 */
export class DebugPipe {
  onEvent: (method: string, params: Readonly<Record<string, unknown>>) => void = () => undefined;
  readonly #input: Writable;
  readonly #answers = new Map<number, () => void>();
  #count = 0;
  #rest = '';

  constructor(input: Writable, output: Readable) {
    this.#input = input.on('error', () => undefined);
    output.on('error', () => undefined);
    output.setEncoding('utf8').on('data', (chunk: string) => this.#receive(chunk));
  }

  /** Resolves when the browser has answered, whatever it says; never where it doesn't. */
  ask(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const id = (this.#count += 1);
    this.#input.write(`${JSON.stringify({ id, method, params })}\0`);
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  #receive(chunk: string): void {
    const messages = (this.#rest + chunk).split('\0');
    this.#rest = messages.pop() ?? '';
    for (const text of messages) {
      const { id, method, params } = pipeMessage.parse(JSON.parse(text));
      if (method !== undefined) this.onEvent(method, params);
      if (id === undefined) continue;
      this.#answers.get(id)?.();
      this.#answers.delete(id);
    }
  }
}

import { type JSONRPCMessage, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import type { FirstExchanges } from './first-answers.ts';

/** Shows a server what its client sent before, and knows which of its answers the client already has. */
export class Repetition {
  /** The id in the next answer that the client has. */
  #next: { readonly id: unknown; readonly seen: () => void } | undefined;

  async show({ exchanges }: FirstExchanges, receive: (line: string) => void): Promise<void> {
    for (const { line, id } of exchanges) {
      const { promise, resolve } = Promise.withResolvers<void>();
      // The client waited at least one turn of the event loop for what follows.
      if (id === undefined) setImmediate(resolve);
      else this.#next = { id, seen: resolve };
      receive(line);
      await promise;
    }
  }

  /** Whether the client already has what the server now sends. */
  has(message: JSONRPCMessage): boolean {
    if (this.#next === undefined || this.#next.id !== idIn(message)) return false;
    this.#next.seen();
    this.#next = undefined;
    return true;
  }
}

/** Of an answer, of a request, or of the subscription that a notification confirms. */
function idIn(message: JSONRPCMessage): unknown {
  if (!('method' in message) || 'id' in message) return message.id;
  return message.params?._meta?.[SUBSCRIPTION_ID_META_KEY];
}

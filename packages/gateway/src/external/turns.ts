import { setImmediate } from 'node:timers/promises';

/** A millisecond or two of work: a call of another server needs several turns. */
const MESSAGES_PER_TURN = 4;

/** Lets the rest of the desk run between the messages of one server, which can send without end. */
export class Turns {
  #left = MESSAGES_PER_TURN;

  /** Called after each message; resolves when the next one may follow. */
  next(): Promise<void> | undefined {
    this.#left -= 1;
    if (this.#left > 0) return undefined;
    this.#left = MESSAGES_PER_TURN;
    return setImmediate();
  }
}

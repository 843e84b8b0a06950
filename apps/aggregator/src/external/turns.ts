import { setImmediate } from 'node:timers/promises';

/** About ten milliseconds of work. */
const MESSAGES_PER_TURN = 50;

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

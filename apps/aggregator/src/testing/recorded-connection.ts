import { ClientConnection } from '../attach/connection.ts';

/** What a connection asks of its surroundings. */
export type Effect =
  | { readonly kind: 'toClient' | 'toDesk'; readonly line: string }
  | { readonly kind: 'connect' | 'disconnect' };

/** A connection whose functions return what it asks of its surroundings, in order. */
export class RecordedConnection {
  #effects: Effect[] = [];
  readonly #connection = new ClientConnection({
    toClient: (line) => void this.#effects.push({ kind: 'toClient', line }),
    toDesk: (line) => void this.#effects.push({ kind: 'toDesk', line }),
    connect: () => void this.#effects.push({ kind: 'connect' }),
    disconnect: () => void this.#effects.push({ kind: 'disconnect' }),
  });

  get phase() {
    return this.#connection.phase;
  }

  get isIdle() {
    return this.#connection.isIdle;
  }

  attached() {
    return this.#effectsOf(() => this.#connection.attached());
  }

  failed() {
    return this.#effectsOf(() => this.#connection.failed());
  }

  lost() {
    return this.#effectsOf(() => this.#connection.lost());
  }

  fromClient(line: string) {
    return this.#effectsOf(() => this.#connection.fromClient(line));
  }

  fromDesk(line: string) {
    return this.#effectsOf(() => this.#connection.fromDesk(line));
  }

  #effectsOf(call: () => void): readonly Effect[] {
    this.#effects = [];
    call();
    return this.#effects;
  }
}

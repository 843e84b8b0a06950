import { type Change, type ChangeFeed, changeFeed, defineServer, type OwnChangeFeed } from '@deskside/core';

/** A counter that clients can subscribe to. */
export class Counter {
  readonly changes: OwnChangeFeed = changeFeed();
  #value = 0;

  get value(): number {
    return this.#value;
  }

  increment(): void {
    this.#value += 1;
    // For a list: changes.changed('tools'), 'prompts' or 'resources'.
    this.changes.updated('counter://value');
  }
}

export function counterServer(counter: Counter) {
  return defineServer({
    name: 'counter',
    version: '1.0.0',
    deps: counter,
    changes: counter.changes,
    resources: [{ uri: 'counter://value', name: 'value', read: ({ value }) => String(value) }],
  });
}

/** One feed that also carries the changes of another process, for example through a message broker. */
export function sharedFeed(receive: (listener: (change: Change) => void) => void): ChangeFeed {
  const feed = changeFeed();
  receive((change) => feed.publish(change));
  return feed;
}

import { changeFeed, defineServer } from '@deskside/core';

/** A counter that clients can subscribe to. */
export class Counter {
  readonly changes = changeFeed();
  value = 0;

  increment(): void {
    this.value += 1;
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

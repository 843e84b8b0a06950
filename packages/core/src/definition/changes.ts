import { InMemoryServerEventBus, type ServerEvent, type ServerEventBus } from '@modelcontextprotocol/server';

/** A list has changed, or a resource has new content. */
export type Change = ServerEvent;

/**
 * Publishes a server's changes to every connection of both eras and both transports. To share one feed among
 * processes, implement this interface on a message broker.
 */
export type ChangeFeed = ServerEventBus;

/** A feed that a server publishes to. */
export interface OwnChangeFeed extends ChangeFeed {
  /** Tells clients that one of the server's lists has changed. */
  changed(list: 'tools' | 'prompts' | 'resources'): void;
  /** Tells the clients that subscribe to this resource that it has new content. */
  updated(uri: string): void;
}

/** Creates a change feed for one process. */
export function changeFeed(): OwnChangeFeed {
  const bus = new InMemoryServerEventBus();
  return {
    publish: (change) => bus.publish(change),
    subscribe: (listener) => bus.subscribe(listener),
    changed: (list) => bus.publish({ kind: `${list}_list_changed` }),
    updated: (uri) => bus.publish({ kind: 'resource_updated', uri }),
  };
}

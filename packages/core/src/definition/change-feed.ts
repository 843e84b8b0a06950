import { InMemoryServerEventBus, type ServerEvent, type ServerEventBus } from '@modelcontextprotocol/server';

/** A list is another one now, or a resource has new content. */
export type Change = ServerEvent;

/**
 * The one port through which a server's changes reach every connection, whatever its era and transport:
 * publish here. Several processes share one by implementing it over their own messaging.
 */
export type ChangeFeed = ServerEventBus;

export function changeFeed(): ChangeFeed {
  return new InMemoryServerEventBus();
}

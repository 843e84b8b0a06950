import type { Server } from '@modelcontextprotocol/server';
import type { Change, ChangeFeed } from '../definition/change-feed.ts';
import type { Era } from '../definition/context.ts';
import type { Log } from '../log/log.ts';

/**
 * Passes a server's changes on to one connection that stays: stdio in both eras, a legacy session over HTTP.
 * (The modern era over HTTP has streams of its own, which the SDK feeds.) The legacy era subscribes to
 * resources one by one; in the modern one the SDK filters. Ends when the server object closes.
 */
export function announceChanges(server: Server, changes: ChangeFeed, era: Era, log: Log): void {
  const subscribed = new Set<string>();
  if (era === 'legacy') {
    server.setRequestHandler('resources/subscribe', ({ params }) => {
      subscribed.add(params.uri);
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', ({ params }) => {
      subscribed.delete(params.uri);
      return {};
    });
  }
  server.onclose = changes.subscribe((change) => {
    if (change.kind === 'resource_updated' && era === 'legacy' && !subscribed.has(change.uri)) return;
    announce(server, change).catch((error: unknown) => log.debug('change not announced', { error }));
  });
}

function announce(server: Server, change: Change): Promise<void> {
  switch (change.kind) {
    case 'tools_list_changed':
      return server.sendToolListChanged();
    case 'prompts_list_changed':
      return server.sendPromptListChanged();
    case 'resources_list_changed':
      return server.sendResourceListChanged();
    case 'resource_updated':
      return server.sendResourceUpdated({ uri: change.uri });
  }
}

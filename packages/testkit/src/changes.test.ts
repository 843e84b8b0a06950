import { changeFeed, defineServer, toolDefiner } from '@deskside/core';
import type { Client } from '@modelcontextprotocol/client';
import {
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { expect, test } from 'vitest';
import { connectInProcess, LEGS } from './connect.ts';
import { described } from '@deskside/core/testing/described';

const URI = 'news://today';

function newsServer(changes = changeFeed()) {
  const tool = toolDefiner<null>()({
    ...described('read'),
    run: () => 'none',
  });
  const resources = [URI, 'news://other'].map((uri) => ({ uri, name: uri, read: () => 'none' }));
  return {
    changes,
    definition: defineServer({
      name: 'news',
      version: '1.0.0',
      deps: null,
      tools: [tool],
      resources,
      changes,
    }),
  };
}

/** Subscribes to the tool list and to one resource. */
async function subscribe(client: Client | LegacyClient, received: (what: string) => void): Promise<void> {
  if (client instanceof LegacyClient) {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => received('tools'));
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => received(params.uri));
    await client.subscribeResource({ uri: URI });
    return;
  }
  client.setNotificationHandler('notifications/tools/list_changed', () => received('tools'));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => received(params.uri));
  await client.listen({ toolsListChanged: true, resourceSubscriptions: [URI] });
}

test.each(LEGS)(
  'a published change reaches the subscribers of its resource or list in the $era era over $over',
  async (leg) => {
    const { changes, definition } = newsServer();
    await using peer = await connectInProcess(definition, leg);
    const received: string[] = [];
    const { promise: last, resolve } = Promise.withResolvers<void>();
    await subscribe(peer.client, (what) => {
      received.push(what);
      if (what === 'tools') resolve();
    });
    // A legacy client over HTTP opens its stream after the handshake, so publish until it receives a change.
    const publishing = setInterval(() => {
      changes.publish({ kind: 'resource_updated', uri: 'news://other' });
      changes.publish({ kind: 'resource_updated', uri: URI });
      changes.publish({ kind: 'tools_list_changed' });
    }, 50);
    await last;
    clearInterval(publishing);
    expect(received.slice(0, 2).toSorted()).toStrictEqual([URI, 'tools']);
    expect(received).not.toContain('news://other');
  },
);

test.each(LEGS)(
  'a server learns which resources a client watches, and until when, in the $era era over $over',
  async (leg) => {
    const watched: string[] = [];
    const released: string[] = [];
    const { definition } = newsServer();
    const watching = {
      ...definition,
      watchResource(uri: string) {
        watched.push(uri);
        return () => void released.push(uri);
      },
    };
    const peer = await connectInProcess(watching, leg);
    await subscribe(peer.client, () => undefined);
    await expect.poll(() => watched).toStrictEqual([URI]);
    expect(released).toStrictEqual([]);
    await peer[Symbol.asyncDispose]();
    await expect.poll(() => released).toStrictEqual([URI]);
  },
);

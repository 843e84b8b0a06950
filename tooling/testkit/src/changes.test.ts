import { changeFeed, defineServer, toolDefiner } from '@deskside/core';
import { type Client } from '@modelcontextprotocol/client';
import {
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { connectInProcess, LEGS } from './connect.ts';

const URI = 'news://today';

function newsServer(changes = changeFeed()) {
  const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
  const tool = toolDefiner<null>()({
    name: 'read',
    title: 'Read',
    description: 'Reads the news',
    hints,
    input: z.object({}),
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

/** What a client hears: of tool lists, and of the one resource it asked for. */
async function subscribe(client: Client | LegacyClient, heard: (what: string) => void): Promise<void> {
  if (client instanceof LegacyClient) {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => heard('tools'));
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => heard(params.uri));
    await client.subscribeResource({ uri: URI });
    return;
  }
  client.setNotificationHandler('notifications/tools/list_changed', () => heard('tools'));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => heard(params.uri));
  await client.listen({ toolsListChanged: true, resourceSubscriptions: [URI] });
}

test.each(LEGS)(
  'one publish reaches subscribers in the $era era over $over, of what they asked for',
  async (leg) => {
    const { changes, definition } = newsServer();
    await using peer = await connectInProcess(definition, leg);
    const heard: string[] = [];
    const { promise: last, resolve } = Promise.withResolvers<void>();
    await subscribe(peer.client, (what) => {
      heard.push(what);
      if (what === 'tools') resolve();
    });
    // A legacy client over HTTP opens its stream after the handshake; publish until it hears.
    const publishing = setInterval(() => {
      changes.publish({ kind: 'resource_updated', uri: 'news://other' });
      changes.publish({ kind: 'resource_updated', uri: URI });
      changes.publish({ kind: 'tools_list_changed' });
    }, 50);
    await last;
    clearInterval(publishing);
    expect(heard.slice(0, 2).toSorted()).toStrictEqual([URI, 'tools']);
    expect(heard).not.toContain('news://other');
  },
);

import { defineServer, type Era, toolDefiner } from '@deskside/core';
import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { connectInProcess, LEGS, type Peer } from './connect.ts';
import { described } from '@deskside/core/testing/described';

function talkingServer(logging: readonly Era[]) {
  const talk = toolDefiner<null>()({
    ...described('talk'),
    async run(_, __, ctx) {
      await ctx.message('warning', 'half', 'talk');
      await ctx.message('debug', 'detail', 'talk');
      await ctx.progress(1, 2, 'half');
      return 'done';
    },
  });
  return defineServer({ name: 'talking', version: '1.0.0', deps: null, tools: [talk], logging });
}

/** Calls the tool and returns the notifications that arrive while it runs. */
async function notificationsOf({ client }: Peer): Promise<unknown[]> {
  const received: unknown[] = [];
  const onprogress = (progress: unknown) => received.push(progress);
  if (client instanceof LegacyClient) {
    client.setNotificationHandler(
      LoggingMessageNotificationSchema,
      ({ params }) => void received.push(params),
    );
    await client.callTool({ name: 'talk' }, undefined, { onprogress });
    return received;
  }
  client.setNotificationHandler('notifications/message', ({ params }) => void received.push(params));
  const meta = { [LOG_LEVEL_META_KEY]: 'info' };
  await client.callTool({ name: 'talk', _meta: meta }, { onprogress });
  return received;
}

const HALF = { level: 'warning', logger: 'talk', data: 'half' };
const DETAIL = { level: 'debug', logger: 'talk', data: 'detail' };
const PROGRESS = { progress: 1, total: 2, message: 'half' };

test.each(
  LEGS.flatMap((leg) => [
    { ...leg, eras: ['legacy', 'modern'] as const },
    { ...leg, eras: ['modern'] as const },
  ]),
)('a running tool sends progress, and log messages in $eras: $era over $over', async ({ eras, ...leg }) => {
  await using peer = await connectInProcess(talkingServer(eras), leg);
  const isDeclared = eras.some((era) => era === leg.era);
  expect('logging' in (peer.client.getServerCapabilities() ?? {})).toBe(isDeclared);
  // A legacy client without a level gets all messages; a modern one gets the level that it requested.
  const messages = leg.era === 'legacy' ? [HALF, DETAIL] : [HALF];
  expect(await notificationsOf(peer)).toMatchObject([...(isDeclared ? messages : []), PROGRESS]);
});

import { defineServer, type Era, toolDefiner } from '@deskside/core';
import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { connectInProcess, LEGS } from './connect.ts';
import type { Peer } from './peer.ts';

const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

function talkingServer(logging: boolean | readonly Era[]) {
  const talk = toolDefiner<null>()({
    name: 'talk',
    title: 'Talk',
    description: 'Says how far it is',
    hints,
    input: z.object({}),
    async run(_, __, ctx) {
      await ctx.message('warning', 'half', 'talk');
      await ctx.message('debug', 'detail', 'talk');
      await ctx.progress(1, 2, 'half');
      return 'done';
    },
  });
  return defineServer({ name: 'talking', version: '1.0.0', deps: null, tools: [talk], logging });
}

/** Calls the tool and answers what was heard while it ran. */
async function heardBy({ client }: Peer): Promise<unknown[]> {
  const heard: unknown[] = [];
  const onprogress = (progress: unknown) => heard.push(progress);
  if (client instanceof LegacyClient) {
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params));
    await client.callTool({ name: 'talk' }, undefined, { onprogress });
    return heard;
  }
  client.setNotificationHandler('notifications/message', ({ params }) => void heard.push(params));
  const meta = { [LOG_LEVEL_META_KEY]: 'info' };
  await client.callTool({ name: 'talk', _meta: meta }, { onprogress });
  return heard;
}

const HALF = { level: 'warning', logger: 'talk', data: 'half' };
const DETAIL = { level: 'debug', logger: 'talk', data: 'detail' };
const PROGRESS = { progress: 1, total: 2, message: 'half' };

test.each(LEGS)('a tool is heard while it runs, in the $era era over $over', async (leg) => {
  await using peer = await connectInProcess(talkingServer(true), leg);
  expect(peer.client.getServerCapabilities()).toHaveProperty('logging');
  // A legacy client that set no level gets all; a modern one what it asked for.
  const messages = leg.era === 'legacy' ? [HALF, DETAIL] : [HALF];
  expect(await heardBy(peer)).toMatchObject([...messages, PROGRESS]);
});

test.each(LEGS)('log messages are for the eras that declare them: $era over $over', async (leg) => {
  await using peer = await connectInProcess(talkingServer(['modern']), leg);
  const declared = leg.era === 'modern';
  expect('logging' in (peer.client.getServerCapabilities() ?? {})).toBe(declared);
  expect(await heardBy(peer)).toMatchObject(declared ? [HALF, PROGRESS] : [PROGRESS]);
});

import { reply, textBlock, ToolError, toolDefiner, type RequestContext } from '@deskside/core';
import { z } from 'zod';
import type { LogNotify } from '../log-notify.ts';
import { firstCodePoints } from '../message/code-points.ts';
import { contextOf, DEFAULT_CONTEXT, KNOWN_CONTEXTS } from '../message/contexts.ts';
import { type Level, levelOf, LEVELS } from '../message/levels.ts';
import { neutralize } from '../message/neutralize.ts';
import { TARGET } from '../message/notification.ts';
import { whyNobody } from './why-nobody.ts';

/** Code points of a client's name for itself that are kept. */
const CLIENT_NAME = 100;

export const notify = toolDefiner<LogNotify>()({
  name: 'notify',
  title: 'Notify',
  description: [
    'Send messages from LLM to user through the logging system.',
    'Use it while you work, for what the person should know before your final answer: findings, progress of long work, warnings, decisions.',
    'It goes to their terminal, log file and, for warn and error, desktop. It never waits for the person, and takes no reply.',
    'Be selective, concise and actionable: repeats and floods are folded into summaries.',
  ].join(' '),
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z
    .object({
      message: z
        .unknown()
        .optional()
        .meta({ type: 'string', description: 'The message to notify the user about', minLength: 1 }),
      level: z
        .unknown()
        .optional()
        .meta({
          type: 'string',
          enum: [...LEVELS],
          description: 'The notification level (default: info)',
          default: 'info',
        }),
      context: z
        .unknown()
        .optional()
        .meta({
          type: 'string',
          description: `Optional context or category for the notification: ${KNOWN_CONTEXTS.join(', ')}, or a word of your own`,
          default: DEFAULT_CONTEXT,
        }),
    })
    .meta({ required: ['message'] }),

  async run(args, logNotify, ctx) {
    const message = requiredMessage(args.message);
    const level = levelOf(args.level);
    const client = ctx.client && firstCodePoints(ctx.client.name, CLIENT_NAME);
    const receipt = await logNotify.notify({
      level,
      context: contextOf(args.context),
      message,
      ...(client === undefined ? {} : { client }),
    });
    const shown = neutralize(message);
    await tellClient(ctx, level, shown);
    const why = whyNobody(receipt);
    return reply(`Notification sent: ${shown}`, {
      meta: { 'deskside/delivery': receipt },
      ...(why === undefined ? {} : { more: [textBlock(why)] }),
    });
  },
});

function requiredMessage(value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  const isEmpty = value === undefined || value === null || typeof value === 'string';
  throw new ToolError({
    error: isEmpty ? 'The message is empty' : 'The message is no text',
    code: 'INVALID_ARGUMENT',
    hint: 'Pass "message" as a text that tells the person something.',
  });
}

/** In the protocol's own ways too, each only where the request asked for it. */
async function tellClient(ctx: RequestContext, level: Level, shown: string): Promise<void> {
  try {
    // In the legacy era a request can't ask for log messages.
    if (ctx.era === 'modern') await ctx.message(level === 'warn' ? 'warning' : level, shown, TARGET);
    await ctx.progress(1, 1, shown);
  } catch (error) {
    ctx.log.debug('the client was not told', { error });
  }
}

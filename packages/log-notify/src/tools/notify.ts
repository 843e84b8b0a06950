import { type RequestContext, reply, textBlock } from '@deskside/core';
import { firstCodePoints } from '@deskside/core/text';
import type { Receipt } from '../delivery/dispatcher.ts';
import type { Reason } from '../delivery/throttle.ts';
import { KNOWN_CONTEXTS, type Level, TARGET } from '../notification/notification.ts';
import { escapeLine } from '../notification/safe-text.ts';
import { defineTool } from './define-tool.ts';
import { notifyInput, readNotification } from './schemas.ts';

const MAX_CLIENT_NAME_CODE_POINTS = 100;

export const notify = defineTool({
  name: 'notify',
  title: 'Notify',
  description: [
    'Send messages from LLM to user through the logging system.',
    'Use it during your work for findings, status of long operations, warnings and decisions that the person should know before your final answer.',
    'Do not use it for questions: it does not wait, and the person cannot reply.',
    'Messages go to the terminal, a log file and, for warn and error, the desktop. Keep them concise and actionable; repeated messages are merged.',
    `Set context to ${KNOWN_CONTEXTS.join(', ')} or your own category.`,
    'Returns "Notification sent: {message}".',
  ].join(' '),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: notifyInput,

  async run(args, logNotify, ctx) {
    const input = readNotification(args);
    const { client: program, key: caller } = ctx.caller;
    const client = program && firstCodePoints(program.name, MAX_CLIENT_NAME_CODE_POINTS);
    const receipt = await logNotify.notify({ ...input, caller, ...(client === undefined ? {} : { client }) });
    const text = escapeLine(input.message);
    await notifyClient(ctx, input.level, text);
    const note = undeliveredNote(receipt);
    return reply(`Notification sent: ${text}`, {
      meta: { 'deskside/delivery': receipt },
      ...(note === undefined ? {} : { more: [textBlock(note)] }),
    });
  },
});

/** Sends the protocol's own log message and progress. Both go out only if the request asked for them. */
async function notifyClient(ctx: RequestContext, level: Level, text: string): Promise<void> {
  try {
    // Requests of the legacy era cannot ask for log messages.
    if (ctx.era === 'modern') await ctx.message(level === 'warn' ? 'warning' : level, text, TARGET);
    await ctx.progress(1, 1, text);
  } catch (error) {
    ctx.log.debug('The client was not notified', { error });
  }
}

type Cause = 'configuration' | 'summary' | 'failure';

const CAUSES: Readonly<Record<Reason, Cause>> = {
  filter: 'configuration',
  level: 'configuration',
  context: 'configuration',
  'quiet hours': 'summary',
  digest: 'summary',
  duplicate: 'summary',
  rate: 'summary',
  unavailable: 'failure',
  failing: 'failure',
  full: 'failure',
};

/** @returns a sentence for the model if no sink accepted the message */
function undeliveredNote({ delivered, suppressed }: Receipt): string | undefined {
  if (delivered.length > 0) return undefined;
  const causes = new Set(Object.values(suppressed).map((reason) => CAUSES[reason]));
  if (causes.has('summary')) {
    return 'The message is held for a summary that the person gets later. Do not send it again.';
  }
  if (causes.has('failure')) {
    return 'No sink accepted the message: none works now. If it matters, tell the person in your answer.';
  }
  return 'No sink accepted the message: the configuration filters it out. If it matters, tell the person in your answer.';
}

import { codePoints, type RequestContext, toolDefiner } from '@deskside/core';
import { z } from 'zod';
import type { Popup } from '../popup.ts';
import type { Question } from '../service/question.ts';
import { answerOf } from './answers.ts';
import { askThroughClient, canAskThroughClient, formAnswer } from './elicitation.ts';
import { keptAlive } from './keep-alive.ts';

const definePopupTool = toolDefiner<Popup>();

/** Characters, as JSON Schema counts them. */
const LONGEST_MESSAGE = 10_000;

const message = z
  .string()
  .refine(
    (text) => text !== '' && codePoints(text) <= LONGEST_MESSAGE,
    `use 1 to ${LONGEST_MESSAGE} characters`,
  )
  .meta({
    minLength: 1,
    maxLength: LONGEST_MESSAGE,
    description: 'The message to display in the popup (1-10,000 characters)',
  });

export const notify = definePopupTool({
  name: 'notify',
  title: 'Ask in a popup',
  description:
    'Display a message in a popup window and optionally wait for user text response. Use this for silent, text-based conversation instead of voice.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z.object({
    message,
    wait_for_response: z
      .boolean()
      .default(true)
      .describe('Whether to wait for user input. If false, just displays the message.'),
    timeout: z
      .number()
      .min(5)
      .max(300)
      .optional()
      .describe('Optional timeout in seconds for user response (5-300 seconds, default: no timeout)'),
    title: z.string().default('VoiceMode').describe('Window title for the popup'),
    show_history: z
      .boolean()
      .default(true)
      .describe('Whether to show recent conversation history in the popup'),
    chime_enabled: z
      .boolean()
      .default(false)
      .describe('Whether to play sound feedback (disabled by default for silent use)'),
    theme: z
      .enum(['auto', 'light', 'dark'])
      .default('auto')
      .describe("Color theme for the popup. 'auto' matches system setting."),
  }),

  async run(args, popup, ctx) {
    const question = {
      message: args.message,
      title: args.title,
      waitsForResponse: args.wait_for_response,
      theme: args.theme,
      showsHistory: args.show_history,
      chimes: args.chime_enabled,
      ...(args.timeout === undefined ? {} : { timeout: args.timeout }),
      ...(ctx.client === undefined ? {} : { client: ctx.client.title ?? ctx.client.name }),
    } satisfies Question;

    const filled = formAnswer(question, ctx.input);
    if (filled !== undefined) return answerOf(filled, question);
    const asked = popup.service.ask(question, callerOf(ctx));
    const outcome = await keptAlive(question, popup.progressInterval, ctx, asked);
    if (outcome.kind === 'no-display' && popup.usesElicitation && canAskThroughClient(ctx.input)) {
      return askThroughClient(question);
    }
    return answerOf(outcome, question);
  },
});

function callerOf({ session, principal, signal, log }: RequestContext) {
  return { session: `${principal.user} ${session}`, signal, log };
}

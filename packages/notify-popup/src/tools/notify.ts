import { reply, type Reply, type RequestContext, textBlock, toolDefiner } from '@deskside/core';
import { itemOf, type InboxRequest, type PopupOutcome } from '@deskside/desktop';
import { UserError } from '@deskside/core/errors';
import { codePointLength, isBlank } from '@deskside/core/text';
import * as z from 'zod';
import type { Popup } from '../notify-popup.ts';
import { askWithForm, supportsForms } from './elicitation.ts';

const definePopupTool = toolDefiner<Popup>();

const DEFAULT_TITLE = 'VoiceMode';
const MAX_MESSAGE_CODE_POINTS = 10_000;
const TIMEOUT_RANGE = 'use 5 to 300 seconds';
const MAX_QUESTIONS = 5;
const MAX_QUESTION_CODE_POINTS = 500;
const MAX_QUICK_REPLIES = 9;
const MAX_QUICK_REPLY_CODE_POINTS = 80;

function textOf(max: number, isGiven = (text: string) => !isBlank(text)) {
  return z
    .string()
    .refine((text) => isGiven(text) && codePointLength(text) <= max, `use 1 to ${max} characters`)
    .meta({ minLength: 1, maxLength: max });
}

function listOf<Item extends z.ZodType>(item: Item, min: number, max: number, things: string) {
  return z
    .array(item)
    .refine(({ length }) => length >= min && length <= max, `use ${min} to ${max} ${things}`)
    .meta({ minItems: min, maxItems: max });
}

const message = textOf(MAX_MESSAGE_CODE_POINTS, (text) => text !== '').describe(
  'The message to display in the popup (1-10,000 characters)',
);

const quickReplies = listOf(textOf(MAX_QUICK_REPLY_CODE_POINTS), 1, MAX_QUICK_REPLIES, 'quick replies');

const partQuestion = z.object({
  question: textOf(MAX_QUESTION_CODE_POINTS),
  options: quickReplies.exactOptional(),
  multiple: z.boolean().exactOptional(),
});

const partQuestions = listOf(partQuestion, 2, MAX_QUESTIONS, 'questions; for one, pass only message');

export const notify = definePopupTool({
  name: 'notify',
  title: 'Ask in a popup',
  description:
    'Display a message in a popup window and optionally wait for user text response. Use this for silent, text-based conversation instead of voice.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  // Claude Code lists other tools by name only until its model asks for them.
  meta: { 'anthropic/alwaysLoad': true },
  input: z.object({
    message,
    wait_for_response: z
      .boolean()
      .default(true)
      .describe('Whether to wait for user input. If false, just displays the message.'),
    timeout: z
      .number()
      .min(5, TIMEOUT_RANGE)
      .max(300, TIMEOUT_RANGE)
      .optional()
      .describe('Optional timeout in seconds for user response (5-300 seconds, default: no timeout)'),
    title: z.string().default(DEFAULT_TITLE).describe('Window title for the popup'),
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
    options: quickReplies
      .optional()
      .describe(
        'Quick replies: 1-9 texts of 1-80 characters, for example ["Yes", "No"]. The user can also type another answer.',
      ),
    multiple: z.boolean().optional().describe('The user may choose several options.'),
    questions: partQuestions
      .optional()
      .describe(
        '2-5 questions for one popup. Use it if you need all answers to continue; message introduces them. The response quotes each answer with ">" under its question, or says (not answered).',
      ),
  }),

  async run(args, popup, ctx) {
    if (args.questions !== undefined && (args.options !== undefined || !args.wait_for_response))
      throw new UserError({
        error: 'questions does not go with options or with wait_for_response false.',
        code: 'INVALID_ARGUMENT',
        hint: 'Put options into the question that they answer.',
      });
    const request = {
      kind: args.wait_for_response ? 'question' : 'news',
      message: args.message,
      // A window without a title shows its address.
      title: isBlank(args.title) ? DEFAULT_TITLE : args.title,
      theme: args.theme === 'auto' ? popup.theme : args.theme,
      showsHistory: args.show_history,
      chimes: args.chime_enabled,
      caller: ctx.caller.label(),
      ...(args.timeout === undefined ? {} : { timeout: args.timeout }),
      ...(args.options === undefined ? {} : { options: args.options, multiple: args.multiple ?? false }),
      ...(args.questions === undefined ? {} : { questions: args.questions }),
      acceptsImages: true,
    } satisfies InboxRequest;

    const progress = startProgress(request, popup.progressIntervalMs, ctx);
    const caller = { ...callerOf(ctx, request, popup), onHeld: progress.setBusy, onAway: progress.setAway };
    const hasForms = popup.usesElicitation && supportsForms(ctx.input);
    // A person may think for minutes; the session's other calls must not wait for that.
    const asking = ctx.waitForPerson(async () =>
      hasForms
        ? askWithForm(request, caller, popup, ctx.input, ctx.caller.known?.callLimitSeconds)
        : popup.inbox.ask(request, caller),
    );
    const outcome = await asking.finally(progress.stop);
    return outcome.kind === 'form'
      ? outcome.form
      : toAnswer(outcome, { ...request, isHeld: progress.isBusy() });
  },
});

function callerOf(ctx: RequestContext, { kind }: InboxRequest, { folder: ownFolder }: Popup) {
  const { caller, signal, log, transport } = ctx;
  const { process: client } = caller;
  const session = caller.session === undefined ? undefined : caller.key;
  // A client that cancels a call gives a text as reason, or none.
  const isDisconnected = () => signal.reason instanceof Error && signal.reason.name !== 'AbortError';
  const started = transport === 'stdio' ? ownFolder || undefined : undefined;
  const folder = client === undefined ? started : client.env['CLAUDE_PROJECT_DIR'] || client.workingDirectory;
  const isInteractive = caller.known?.isInteractive === true;
  return { item: itemOf(kind, ctx), folder, session, isInteractive, signal, isDisconnected, log, client };
}

const DISPLAYED = '✓ Message displayed successfully';
const FOLLOWS = 'Another popup is open. The message follows it.';
const HELD =
  'The person wants no popups now. The message is shown later; say it in the conversation if it matters now.';
const NOT_SEEN =
  'No display is available. The client got the message as a form, and the person may not have seen it.';
const ASK_ELSEWHERE = 'Ask the person in the conversation itself, or continue without an answer.';

/**
 * The contract's text for an outcome.
 *
 * @param request `isHeld` while the person wants no popups
 * @throws UserError if no popup was shown, or the caller stopped waiting
 */
function toAnswer(
  outcome: PopupOutcome,
  { timeout, isHeld = false }: Pick<InboxRequest, 'timeout'> & { readonly isHeld?: boolean },
): string | Reply<string> {
  switch (outcome.kind) {
    case 'submitted':
      return reply(`User response: ${outcome.text}`, {
        more: (outcome.images ?? []).map(({ mimeType, data }) => ({ type: 'image', mimeType, data })),
      });
    case 'displayed':
      return DISPLAYED;
    case 'waits':
      return reply(DISPLAYED, { more: [textBlock(isHeld ? HELD : FOLLOWS)] });
    case 'sent':
      return reply(DISPLAYED, { more: [textBlock(NOT_SEEN)] });
    case 'cancelled':
      return 'User cancelled the popup';
    case 'dismissed':
      return 'User dismissed the popup';
    case 'superseded':
      return 'User cancelled or dismissed the popup';
    case 'timeout':
      return `No response within ${timeout}s timeout`;
    case 'empty':
      return 'User submitted empty response';
    case 'allowed':
    case 'denied':
      throw new Error('An approval has no tool.');
    case 'no-display':
      throw new UserError({
        exactly:
          'Error: Cannot display popup - no display available. This feature requires a graphical environment.',
        next: [...outcome.tried, ASK_ELSEWHERE].join(' '),
      });
    case 'failed':
      throw new UserError({
        exactly: `Error: Cannot display popup - ${outcome.reason}.`,
        next: ASK_ELSEWHERE,
      });
    case 'abandoned':
      throw new UserError({
        error: 'The popup was closed because the call was cancelled or the server is closing.',
        code: 'UNAVAILABLE',
        hint: 'Ask again if you still need the answer. The next popup offers the text that the person had typed.',
      });
  }
}

/** Sends progress while the person thinks: many clients give up after a minute without it. */
function startProgress({ timeout }: InboxRequest, intervalMs: number, ctx: RequestContext) {
  const startedAt = performance.now();
  const limit = timeout === undefined ? '' : ` (timeout: ${timeout} s on the screen)`;
  let isBusy = false;
  let isAway = false;
  const send = () => {
    const person = isAway ? 'The person is away. ' : isBusy ? 'The person is busy. ' : '';
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const sending = ctx.progress(
      seconds,
      undefined,
      `${person}Waiting for the person's answer for ${seconds} s${limit}`,
    );
    sending.catch((error: unknown) => ctx.log.debug('progress not sent', { error }));
  };
  const timer = setInterval(send, intervalMs);
  return {
    isBusy: () => isBusy,
    setBusy(is: boolean) {
      isBusy = is;
      send();
    },
    setAway(is: boolean) {
      isAway = is;
      send();
    },
    stop: () => clearInterval(timer),
  };
}

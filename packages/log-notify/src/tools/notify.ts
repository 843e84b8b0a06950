import { type RequestContext, reply, textBlock, type Tool, toolDefiner } from '@deskside/core';
import { itemOf, type ItemOutcome } from '@deskside/desktop';
import { firstCodePoints } from '@deskside/core/text';
import { isHeld, type Receipt } from '../delivery/receipt.ts';
import type { LogNotify } from '../log-notify.ts';
import { KNOWN_CONTEXTS, type Level, TARGET } from '../notification/notification.ts';
import { escapeLine } from '../notification/safe-text.ts';
import type { ConfiguredSink } from '../sinks/define-sink.ts';
import { notifyInput, readNotification } from './schemas.ts';

const MAX_NAME_CODE_POINTS = 100;

const defineTool = toolDefiner<LogNotify>();

/** @param sinks of the present configuration; undefined if nothing was configured */
export function notifyTool(sinks: readonly ConfiguredSink[] | undefined): Tool<LogNotify> {
  return defineTool({
    name: 'notify',
    title: 'Notify',
    description: [
      'Send messages from LLM to user through the logging system.',
      'Use it during your work for findings, status, warnings and decisions that the person should know before your final answer.',
      'Do not use it for questions: the person cannot reply.',
      destinationsText(sinks),
      'Keep messages concise and actionable; repeated messages are merged.',
      `Set context to ${KNOWN_CONTEXTS.join(', ')} or your own category.`,
      'Returns "Notification sent: {message}", and a second text if it is lost, or a warning or error may not be seen.',
    ].join(' '),
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: sinks?.some(({ isService }) => isService) === true,
    },
    // Claude Code lists other tools by name only until its model asks for them.
    meta: { 'anthropic/alwaysLoad': true },
    input: notifyInput,

    async run(args, logNotify, ctx) {
      const input = readNotification(args);
      const content = { text: input.message, level: input.level };
      const item = logNotify.journal.begin({ ...itemOf('notification', ctx), content });
      const receipt = await logNotify.notify({ ...input, ...senderOf(ctx), id: item.id });
      const { outcome, note: fate } = fateOf(receipt);
      item.end(outcome);
      // That an info waits is no news.
      const note = input.level === 'info' && outcome === 'stored' ? undefined : fate;
      const missed = note === undefined ? undefined : await logNotify.missed(ctx.caller.key);
      const text = escapeLine(input.message);
      await notifyClient(ctx, input.level, text);
      return reply(`Notification sent: ${text}`, {
        isError: false,
        meta: { 'deskside/delivery': receipt },
        ...(note === undefined
          ? {}
          : { more: [textBlock(missed === undefined ? note : `${note}\n${missed}`)] }),
      });
    },
  });
}

/** The sinks of a configuration that a person set up are named; the defaults are described. */
function destinationsText(sinks: readonly ConfiguredSink[] | undefined): string {
  if (sinks === undefined) {
    return 'Messages go to a log file, which the person can follow in a terminal, and to the desktop: infos only while no one follows.';
  }
  if (sinks.length === 0) return 'The configuration has no sink: messages go nowhere.';
  const named = sinks.map(({ name, policy: { level, unseenLevel } }) =>
    (unseenLevel ?? level) === 'info' ? name : `${name} (${level} and above)`,
  );
  return `Messages go to: ${named.join(', ').replaceAll('error and above', 'error only')}.`;
}

function senderOf({ caller }: RequestContext) {
  const { client, key: limitKey, project, session } = caller;
  return {
    limitKey,
    caller: caller.label(),
    ...(project === undefined ? {} : { project: firstCodePoints(project, MAX_NAME_CODE_POINTS) }),
    ...(session === undefined ? {} : { session }),
    ...(client === undefined ? {} : { client: firstCodePoints(client.name, MAX_NAME_CODE_POINTS) }),
  };
}

/** Sends the protocol's own log message, which some hosts show, and progress if the request asked for it. */
async function notifyClient(ctx: RequestContext, level: Level, text: string): Promise<void> {
  try {
    await ctx.message(level === 'warn' ? 'warning' : level, text, TARGET);
    await ctx.progress(1, 1, text);
  } catch (error) {
    ctx.log.debug('The client was not notified', { error });
  }
}

interface Fate {
  readonly outcome: ItemOutcome;
  /** A sentence for the model if it is not certain that a person can see the message. */
  readonly note?: string;
}

export function fateOf({ delivered, unseen, suppressed }: Receipt): Fate {
  if (delivered.length > 0) return { outcome: 'delivered' };
  const reasons = Object.values(suppressed);
  if (reasons.some(isHeld)) {
    const note = 'The message is held for a summary that the person gets later. Do not send it again.';
    return { outcome: 'stored', note };
  }
  const advice = 'If it matters, tell the person in your answer.';
  const isStored =
    Object.values(unseen).some((why) => why !== 'not a terminal') ||
    reasons.some((reason) => reason === 'failing' || reason === 'unseen');
  if (Object.keys(unseen).length > 0 && !isStored) {
    const note = `The message went to stderr only, where the person may not see it. ${advice}`;
    return { outcome: 'not shown', note };
  }
  if (isStored) {
    const note = `The message waits for the person, who may not see it now. ${advice}`;
    return { outcome: 'stored', note };
  }
  const reason = reasons.includes('unavailable') ? 'none works now' : 'the configuration filters it out';
  return { outcome: 'lost', note: `No sink accepted the message: ${reason}. ${advice}` };
}

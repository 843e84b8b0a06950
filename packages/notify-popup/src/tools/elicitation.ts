import { type InputExchange, inputRequired, inputResponse, type RequestContext } from '@deskside/core';
import * as z from 'zod';
import type { Popup } from '../notify-popup.ts';
import type { InboxRequest } from '../service/inbox-entry.ts';
import type { PopupOutcome } from '../service/popup-state.ts';

const REPLY_FIELD = 'reply';
/** No person reads and declines a form in this time: a client that answers faster has no forms in fact. */
const SHORTEST_ANSWER_MS = 1000;

const DECLINED_BY_CLIENT = 'The client declined the form by itself, before a person could read it.';

/** The state of a form in the modern era, sealed. */
const formState = z.object({ askedAt: z.number() });

/** An outcome, or news that a form shows: no one knows whether a person sees it. */
export type FormOutcome = PopupOutcome | { readonly kind: 'sent' };

/** The client shows the form after this answer. */
export interface PendingForm {
  readonly kind: 'form';
  readonly form: ReturnType<typeof inputRequired>;
}

/** True if the client can show a form to the person. */
export function supportsForms({ capabilities }: InputExchange): boolean {
  const { elicitation } = capabilities;
  // A client that names no mode supports forms: older protocol versions have no other mode.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

function formFor({ kind, message, title, options }: InboxRequest) {
  const choices =
    options === undefined ? '' : ` (for example ${options.map((text) => `"${text}"`).join(', ')})`;
  const reply = { type: 'string' as const, title: 'Your reply', description: `Answer to ${title}${choices}` };
  return {
    mode: 'form' as const,
    message,
    requestedSchema: {
      type: 'object' as const,
      properties: kind === 'question' ? { [REPLY_FIELD]: reply } : {},
    },
  };
}

/**
 * Asks the client to show the request as a form. In the legacy era the form is withdrawn at the timeout. In the modern
 * era the call runs again with the answer. See docs/decisions/0036.
 *
 * @param obstacle why no popup is shown: the outcome if the client shows no form either
 */
export async function askWithForm(
  request: InboxRequest,
  obstacle: PopupOutcome,
  popup: Popup,
  ctx: RequestContext,
): Promise<FormOutcome | PendingForm> {
  const { elicit } = ctx.input;
  record(popup.history.addMessage(request.message), ctx);
  if (elicit !== undefined) return askNow(request, obstacle, popup, ctx, elicit);
  // Without an answer the call does not return: news must not block the agent.
  if (request.kind === 'news') return obstacle;
  const form = inputRequired({
    inputRequests: { [REPLY_FIELD]: inputRequired.elicit(formFor(request)) },
    requestState: await ctx.input.seal({ askedAt: popup.clock.now().getTime() } satisfies z.output<
      typeof formState
    >),
  });
  return { kind: 'form', form };
}

const nothing = () => {};

async function askNow(
  request: InboxRequest,
  obstacle: PopupOutcome,
  popup: Popup,
  ctx: RequestContext,
  elicit: NonNullable<InputExchange['elicit']>,
): Promise<FormOutcome> {
  const askedAt = popup.clock.now().getTime();
  const { kind, timeout } = request;
  const withdrawal = new AbortController();
  const limitMs = kind === 'news' ? SHORTEST_ANSWER_MS : timeout && timeout * 1000;
  const isOver = Promise.withResolvers<'over'>();
  const cancelTimer =
    limitMs === undefined ? nothing : popup.clock.after(limitMs, () => isOver.resolve('over'));
  const answer = elicit(formFor(request), AbortSignal.any([ctx.signal, withdrawal.signal]));
  try {
    const first = await Promise.race([answer, isOver.promise]);
    if (first !== 'over') return outcomeOf(first, request, askedAt, obstacle, popup, ctx);
    // News stays in the client until the person closes it.
    answer.catch(() => undefined);
    if (kind === 'news') return { kind: 'sent' };
    withdrawal.abort();
    return { kind: 'timeout' };
  } catch (error) {
    if (ctx.signal.aborted) return { kind: 'abandoned' };
    ctx.log.warn('form not shown', { error });
    return withReason(obstacle, 'The client did not show a form.');
  } finally {
    cancelTimer();
  }
}

/** The outcome of a form in the modern era. @returns undefined in the first round, before the client was asked */
export function formOutcome(
  request: InboxRequest,
  popup: Popup,
  ctx: RequestContext,
): FormOutcome | undefined {
  const response = inputResponse(ctx.input.responses, REPLY_FIELD);
  if (response.kind !== 'elicit') return undefined;
  const state = formState.safeParse(ctx.input.state());
  const obstacle = { kind: 'no-display', tried: [] } as const;
  return outcomeOf(response, request, state.data?.askedAt, obstacle, popup, ctx);
}

interface FormAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

function outcomeOf(
  { action, content }: FormAnswer,
  request: InboxRequest,
  askedAt = Number.NEGATIVE_INFINITY,
  obstacle: PopupOutcome,
  popup: Popup,
  ctx: RequestContext,
): FormOutcome {
  const tookMs = popup.clock.now().getTime() - askedAt;
  if (action !== 'accept' && tookMs < SHORTEST_ANSWER_MS) return withReason(obstacle, DECLINED_BY_CLIENT);
  const reply = content?.[REPLY_FIELD];
  const text = typeof reply === 'string' ? reply : '';
  if (request.timeout !== undefined && Number.isFinite(tookMs) && tookMs > request.timeout * 1000) {
    record(popup.drafts.save(draftOf(text, request, ctx)), ctx);
    return { kind: 'timeout' };
  }
  if (request.kind === 'news') return { kind: 'displayed' };
  if (action === 'decline') return { kind: 'cancelled' };
  if (action === 'cancel') return { kind: 'dismissed' };
  if (text.trim() === '') return { kind: 'empty' };
  record(popup.history.addReply(text), ctx);
  return { kind: 'submitted', text };
}

function draftOf(text: string, { message, caller }: InboxRequest, { correlationId }: RequestContext) {
  const [question = ''] = message.trim().split('\n', 1);
  return { id: `form-${correlationId}`.replaceAll(/[^\w-]/g, '-').slice(0, 64), text, question, caller };
}

function withReason(obstacle: PopupOutcome, reason: string): PopupOutcome {
  return obstacle.kind === 'no-display' ? { ...obstacle, tried: [...obstacle.tried, reason] } : obstacle;
}

/** No answer waits for the history. */
function record(writing: Promise<void>, { log }: RequestContext): void {
  writing.catch((error: unknown) => log.warn('history not written', { error }));
}

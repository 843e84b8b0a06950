import { type InputExchange, inputRequired, inputResponse } from '@deskside/core';
import * as z from 'zod';
import type { Popup } from '../notify-popup.ts';
import type { Answer, ClientForm, InboxCaller, InboxRequest } from '@deskside/desktop';
import { previewOf } from '@deskside/look';
import { answersText } from '../service/questions.ts';

const REPLY_FIELD = 'reply';
const CHOICE_FIELD = 'choice';
/** Some clients preselect the first choice, so a press of Enter that was meant for another place must not choose a reply. */
const NO_CHOICE = '(own reply, below)';
/** The form is open so long before the client would end the call. */
const FORM_LEAD_MS = 15_000;
/** In the modern era a client answers a form within this time, or not at all. */
const FORM_LIFETIME_MS = 600_000;

/** The state of a form in the modern era, sealed. */
const roundState = z.object({ id: z.string(), sentAt: z.number() });

/** True if the client can show a form to the person. */
export function supportsForms({ capabilities }: InputExchange): boolean {
  const { elicitation } = capabilities;
  // A client that names no mode supports forms: older protocol versions have no other mode.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

function field(label: string, about: string, choices: readonly string[] = []) {
  const examples =
    choices.length === 0 ? '' : ` (for example ${choices.map((text) => `"${text}"`).join(', ')})`;
  return { type: 'string' as const, title: label, description: `${about}${examples}` };
}

function fieldsOf({ caller, options, multiple, questions }: InboxRequest) {
  if (questions !== undefined) {
    const fields = questions.map((each) => field(previewOf(each.question), each.question, each.options));
    return Object.fromEntries(fields.map((each, index) => [fieldOf(index), each]));
  }
  const about = `Answer to ${caller}`;
  if (options === undefined || multiple === true)
    return { [REPLY_FIELD]: field('Your reply', about, options) };
  return {
    [CHOICE_FIELD]: { type: 'string' as const, title: 'Your choice', enum: [NO_CHOICE, ...options] },
    [REPLY_FIELD]: field('Or your own reply', about),
  };
}

function formFor(request: InboxRequest, isAlone: boolean) {
  const { kind, message } = request;
  const properties = kind === 'news' ? {} : fieldsOf(request);
  return {
    mode: 'form' as const,
    message: isAlone ? message : `${message}\n\nAnswer here or in the window.`,
    requestedSchema: { type: 'object' as const, properties },
  };
}

interface FormResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** Of one of several questions. */
const fieldOf = (index: number) => `${REPLY_FIELD}_${index + 1}`;

function answerOf({ questions }: InboxRequest, { action, content }: FormResult): Answer {
  if (action === 'decline') return { kind: 'cancelled' };
  if (action === 'cancel') return { kind: 'dismissed' };
  const textOf = (name: string) => (typeof content?.[name] === 'string' ? content[name] : '');
  const own = textOf(REPLY_FIELD);
  const choice = textOf(CHOICE_FIELD);
  const isChosen = own.trim() === '' && choice !== '' && choice !== NO_CHOICE;
  if (questions === undefined) return { kind: 'submitted', text: isChosen ? choice : own };
  const answers = questions.map((_, index) => textOf(fieldOf(index)));
  return { kind: 'submitted', text: answersText(questions, answers) };
}

/**
 * Asks on a further surface, the client's form. In the legacy era the call sends the form itself. In the modern era it
 * returns the form and runs again with the answer, in any process; in this one the page and the phone can answer first. See docs/decisions/0036.
 *
 * @param callLimitSeconds when the client ends the call: shortly before, the form opens beside the window. Undefined: it
 *   waits, and gets the form only if no window can open. The modern era cannot withdraw a form, so there the form never
 *   opens beside the window: an answer in the window would wait for the form's end.
 */
export async function askWithForm(
  request: InboxRequest,
  caller: InboxCaller & { readonly item: { readonly id: string; readonly user: string } },
  { inbox, clock, openForms }: Pick<Popup, 'inbox' | 'clock' | 'openForms'>,
  { elicit, ...input }: InputExchange,
  callLimitSeconds?: number,
) {
  if (elicit !== undefined) {
    const ask: ClientForm['ask'] = async (signal, isAlone) =>
      answerOf(request, await elicit(formFor(request, isAlone), signal));
    // The call of news does not wait for the person.
    if (callLimitSeconds === undefined || request.kind === 'news')
      return inbox.ask(request, { ...caller, form: { ask } });
    const afterMs = Math.max(0, callLimitSeconds * 1000 - FORM_LEAD_MS);
    return inbox.ask(request, { ...caller, form: { ask, afterMs } });
  }
  const response = inputResponse(input.responses, REPLY_FIELD);
  const state = roundState.safeParse(input.state()).data;
  if (response.kind === 'elicit' && state !== undefined) {
    const answer = answerOf(request, response);
    const open = openForms.get(state.id);
    open?.answer(answer);
    const form = { sentAt: new Date(state.sentAt), ask: async () => answer };
    return open?.outcome ?? inbox.ask(request, { ...caller, item: { ...caller.item, id: state.id }, form });
  }
  // Without an answer the call does not return: news must not block the agent.
  if (request.kind === 'news') return inbox.ask(request, caller);
  const { id } = caller.item;
  const sent = Promise.withResolvers<undefined>();
  const { promise, resolve: answer } = Promise.withResolvers<Answer>();
  const stop = new AbortController();
  const leave = () => stop.abort(caller.signal.reason);
  caller.signal.addEventListener('abort', leave);
  if (caller.signal.aborted) leave();
  const ask = async () => {
    // The item outlives the call from here on.
    caller.signal.removeEventListener('abort', leave);
    sent.resolve(undefined);
    return promise;
  };
  const asking = inbox.ask(request, { ...caller, signal: stop.signal, form: { ask } });
  const outcome = await Promise.race([asking, sent.promise]);
  if (outcome !== undefined) return outcome;
  openForms.set(id, { answer, outcome: asking });
  const end = () => {
    openForms.delete(id);
    stop.abort();
  };
  clock.after(FORM_LIFETIME_MS, end, { isBackground: true });
  const round = { id, sentAt: clock.now().getTime() } satisfies z.output<typeof roundState>;
  const requestState = await input.seal(round);
  const inputRequests = { [REPLY_FIELD]: inputRequired.elicit(formFor(request, true)) };
  // The client shows the form after this answer, and calls again with what the person says.
  return { kind: 'form' as const, form: inputRequired({ inputRequests, requestState }) };
}

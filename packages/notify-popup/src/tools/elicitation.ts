import { type InputExchange, inputRequired, inputResponse } from '@deskside/core';
import type { Outcome } from '../service/outcome.ts';
import type { Question } from '../service/question.ts';

const KEY = 'reply';

/** Whether the client can put a form before the person itself. */
export function canAskThroughClient({ capabilities }: InputExchange): boolean {
  const { elicitation } = capabilities;
  // A client that names no mode means the only one there used to be.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** The question as a form of the client's. It has no timer: the client's own patience is the limit. */
export function askThroughClient({ message, title, waitsForResponse }: Question) {
  const reply = { type: 'string' as const, title: 'Your reply', description: `Answer to ${title}` };
  return inputRequired({
    inputRequests: {
      [KEY]: inputRequired.elicit({
        message,
        requestedSchema: { type: 'object', properties: waitsForResponse ? { [KEY]: reply } : {} },
      }),
    },
  });
}

/** @returns undefined in the first round, when nothing was asked yet */
export function formAnswer(
  { waitsForResponse }: Question,
  { responses }: InputExchange,
): Outcome | undefined {
  const response = inputResponse(responses, KEY);
  if (response.kind !== 'elicit') return undefined;
  if (!waitsForResponse) return { kind: 'displayed' };
  if (response.action === 'decline') return { kind: 'cancelled' };
  if (response.action === 'cancel') return { kind: 'dismissed' };
  const text = response.content?.[KEY];
  return typeof text === 'string' && text.trim() !== '' ? { kind: 'submitted', text } : { kind: 'empty' };
}

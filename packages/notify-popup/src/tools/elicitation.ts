import { type InputExchange, inputRequired, inputResponse } from '@deskside/core';
import type { InboxRequest } from '../service/inbox-entry.ts';
import type { PopupOutcome } from '../service/popup-state.ts';

const REPLY_FIELD = 'reply';

/** True if the client can show a form to the person. */
export function supportsForms({ capabilities }: InputExchange): boolean {
  const { elicitation } = capabilities;
  // A client that names no mode supports forms: older protocol versions have no other mode.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Asks the client to show the question as a form. It has no timer: only the client's own limit applies. */
export function askWithForm({ kind, message, title }: InboxRequest) {
  const reply = { type: 'string' as const, title: 'Your reply', description: `Answer to ${title}` };
  return inputRequired({
    inputRequests: {
      [REPLY_FIELD]: inputRequired.elicit({
        message,
        requestedSchema: { type: 'object', properties: kind === 'question' ? { [REPLY_FIELD]: reply } : {} },
      }),
    },
  });
}

/** @returns undefined in the first round, before the client was asked */
export function formOutcome({ kind }: InboxRequest, { responses }: InputExchange): PopupOutcome | undefined {
  const response = inputResponse(responses, REPLY_FIELD);
  if (response.kind !== 'elicit') return undefined;
  if (kind === 'news') return { kind: 'displayed' };
  if (response.action === 'decline') return { kind: 'cancelled' };
  if (response.action === 'cancel') return { kind: 'dismissed' };
  const text = response.content?.[REPLY_FIELD];
  return typeof text === 'string' && text.trim() !== '' ? { kind: 'submitted', text } : { kind: 'empty' };
}

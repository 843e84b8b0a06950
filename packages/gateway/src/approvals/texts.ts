import type { InboxRequest, Theme } from '@deskside/desktop';
import type { CallResult } from '../mounts/mount.ts';

type Refusal = NonNullable<CallResult>;

/** What a caller gets instead of a result. @param tool as the caller knows it */
export type CallRefusal = (tool: string) => Refusal;

/** Why nobody has answered. */
export type Unanswered = 'timeout' | 'dismissed' | 'unreachable' | 'crowded';

/** Hosts differ in what they show of a result. Of an error all show its texts. */
function refusal(failure: Readonly<Record<string, string>>): Refusal {
  return { content: [{ type: 'text', text: JSON.stringify(failure) }], isError: true };
}

const denials = new WeakSet<object>();

/** True if the person or a rule of the person refused the call. */
export function isDenied(result: object): boolean {
  return denials.has(result);
}

/**
 * @param tool as the caller knows it
 * @param reason what the person has written
 */
export function denied(tool: string, reason: string): Refusal {
  const result = refusal({
    error: `The person did not allow ${tool}.`,
    code: 'DENIED',
    hint: 'Do not try it another way. Ask the person what to do instead, or go on without it.',
    ...(reason.trim() === '' ? {} : { reason }),
  });
  denials.add(result);
  return result;
}

const REASONS: Readonly<Record<Unanswered, string>> = {
  timeout: 'The person did not answer in time',
  dismissed: 'The person closed the question without an answer',
  unreachable: 'The person cannot be asked now',
  crowded: 'Too many calls wait for the person',
};

export function notApproved(why: Unanswered): CallRefusal {
  return (tool) =>
    refusal({
      error: `${tool} did not run. ${REASONS[why]}.`,
      code: 'NOT_APPROVED',
      hint: 'Do not try it another way. Go on without it, or make the same call again later.',
    });
}

/** What Deskside itself tells the person. */
export function ownNews(message: string, title: string, theme: Theme): InboxRequest {
  const own = { caller: 'Deskside', isOwn: true, showsHistory: false, chimes: false };
  return { ...own, kind: 'news', message, title, theme };
}

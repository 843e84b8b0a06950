import type { ItemOutcome, Ended, PopupOutcome } from '@deskside/desktop';

const OUTCOME_WORDS: Readonly<Record<PopupOutcome['kind'], ItemOutcome>> = {
  submitted: 'answered',
  empty: 'answered',
  cancelled: 'cancelled',
  dismissed: 'dismissed',
  allowed: 'allowed',
  denied: 'denied',
  timeout: 'timed out',
  superseded: 'replaced',
  displayed: 'closed',
  waits: 'closed',
  sent: 'delivered',
  abandoned: 'withdrawn',
  'no-display': 'not shown',
  failed: 'not shown',
};

/** The outcome, for people and for the journal. */
export function outcomeWord({ kind }: PopupOutcome): ItemOutcome {
  return OUTCOME_WORDS[kind];
}

const PLACES = { window: 'in the window', form: 'in the form', page: 'on the page', phone: 'on the phone' };

/** What happened, for a surface that closes: `answered in the window`. */
export function endingText({ outcome, via }: Ended): string {
  return via === undefined ? outcomeWord(outcome) : `${outcomeWord(outcome)} ${PLACES[via]}`;
}

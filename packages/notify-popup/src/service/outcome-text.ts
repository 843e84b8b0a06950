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

const SCOPES = { once: undefined, session: 'in this session', always: 'always' };

/** What the person said, for the journal: of what is allowed for how long, if not once. */
export function answerText(outcome: PopupOutcome): string | undefined {
  switch (outcome.kind) {
    case 'submitted':
      return outcome.text;
    case 'denied':
      return outcome.text.trim() === '' ? undefined : outcome.text;
    case 'allowed':
      return SCOPES[outcome.scope];
    default:
      return undefined;
  }
}

const PLACES = { window: 'in the window', form: 'in the form', page: 'on the page', phone: 'on the phone' };

/** What happened, for a surface that closes: `answered in the window`. */
export function endingText({ outcome, via }: Ended): string {
  return via === undefined ? outcomeWord(outcome) : `${outcomeWord(outcome)} ${PLACES[via]}`;
}

import type { Receipt } from '../delivery/switchboard.ts';
import type { Reason } from '../delivery/policy.ts';

type Cause = 'settings' | 'summary' | 'trouble';

const CAUSES: Readonly<Record<Reason, Cause>> = {
  filter: 'settings',
  level: 'settings',
  context: 'settings',
  'quiet hours': 'summary',
  digest: 'summary',
  duplicate: 'summary',
  rate: 'summary',
  unavailable: 'trouble',
  failing: 'trouble',
  full: 'trouble',
};

/** What the model has to know where no sink took it; undefined where one did. */
export function whyNobody({ delivered, suppressed }: Receipt): string | undefined {
  if (delivered.length > 0) return undefined;
  const reasons = Object.values(suppressed);
  if (reasons.some((reason) => CAUSES[reason] === 'summary')) {
    return 'It was held back for a summary that the person gets later; there is no need to send it again.';
  }
  if (reasons.some((reason) => CAUSES[reason] === 'trouble')) {
    return 'It reached nobody: no sink works now. Tell the person in your answer if it matters.';
  }
  return 'It reached nobody: the settings hold such notifications back. Tell the person in your answer if it matters.';
}

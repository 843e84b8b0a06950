import type { AcceptedTool, ApprovalRules } from '../mounts/mount.ts';
import type { ApprovalLevel } from '../profiles/profile.ts';
import type { Rule } from './rule-store.ts';
import { asksAt, wordOf } from './words.ts';

/** What is known of a call before the person is asked. */
export interface CallFacts {
  readonly tool: AcceptedTool;
  readonly rules: ApprovalRules;
  readonly level: ApprovalLevel;
  /** The client knows the tool from a search. */
  readonly isSearched: boolean;
  /** What the person has decided for all such calls. `unknown`: it cannot be read. */
  readonly rule: Rule['word'] | 'unknown' | undefined;
  /** The person has allowed this call, with what is accepted of the tool now. */
  readonly isAllowed: boolean;
}

/** Whether a call runs at once. The one rule of approvals. */
export function verdictOn(facts: CallFacts): 'run' | 'ask' | 'refuse' {
  const { tool, rules, level, isSearched, rule, isAllowed } = facts;
  const { word } = wordOf(tool, rules, isSearched);
  if (word === 'block') return 'refuse';
  const asks = word === 'ask' && asksAt(level, tool, rules);
  // A rule that cannot be read may forbid it: then the person decides.
  if (isAllowed && (asks || rule === 'unknown')) return 'run';
  if (rule === 'deny') return 'refuse';
  return rule === 'unknown' || (asks && rule !== 'allow') ? 'ask' : 'run';
}

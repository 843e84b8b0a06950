/** Many definitions as one: mounts, names, profiles, approvals. */
export { type Aggregator, type AggregatorOptions, createAggregator, openAggregator } from './aggregator.ts';
export { Approvals } from './approvals/approvals.ts';
export { LEVEL_CLAIM, type Levels, stdioLevel } from './approvals/levels.ts';
export { displayOf } from './approvals/question.ts';
export { type NewRule, type Rule, RuleStore } from './approvals/rule-store.ts';
export { denied, notApproved } from './approvals/texts.ts';
export { claimOf, isDestructive, loosens, strictest, wordLines, wordOf } from './approvals/words.ts';
export { MAX_INSTRUCTIONS_CHARACTERS } from './instructions.ts';
export { callerOf } from './journal/calls.ts';
export { hasNote, leaveNote, withNotes } from './journal/notes.ts';
export { type Dormancy, dormantMount } from './mounts/dormant.ts';
export { type LoadedModule, type ModuleMount, type MountModule, loadModule } from './mounts/modules.ts';
export {
  type ApprovalRules,
  type Mount,
  type MountState,
  type MountStatus,
  degradedMount,
  mountFields,
  mountIdProblem,
} from './mounts/mount.ts';
export { OWN_IDS, type OwnId } from './mounts/own-ids.ts';
export { type Listing, builtListings, marked, preparedDefinition } from './mounts/prepared.ts';
export { systemCall } from './mounts/system-call.ts';
export type { StartTimer } from './mounts/timer.ts';
export {
  type ApprovalLevel,
  LEVELS,
  type Profile,
  TOOLS_MODES,
  approvalFields,
  globsField,
} from './profiles/profile.ts';
export { ranking } from './search/ranking.ts';

export { partLines } from './acceptance/describe.ts';
export { tryServer } from './acceptance/open.ts';
export { blockedBy, blockedLines, offersReading } from './acceptance/reading.ts';
export { type Due, type Review, callsPart, dueServers, review } from './acceptance/review.ts';
export { type Accepted, ListingStore } from './acceptance/store.ts';
export { type Aggregator, type AggregatorOptions, createAggregator, openAggregator } from './aggregator.ts';
export { Approvals } from './approvals/approvals.ts';
export { LEVEL_CLAIM, type Levels } from './approvals/levels.ts';
export { type NewRule, type Rule, RuleStore } from './approvals/rule-store.ts';
export { denied, notApproved } from './approvals/texts.ts';
export { claimOf, isDestructive, loosens, strictest, wordLines, wordOf } from './approvals/words.ts';
export {
  type DeskPlaces,
  type DeskTexts,
  accept,
  placesOf,
  readAccepted,
  readTexts,
  readWholeTexts,
} from './config/accepted.ts';
export {
  EXTERNAL_KEYS,
  type ExternalServer,
  numberUpTo,
  readExternal,
  withSecrets,
} from './config/external.ts';
export {
  HIDDEN,
  type SecretSources,
  secretsFrom,
  shownArguments,
  shownUrl,
  withoutReferences,
} from './config/secrets.ts';
export {
  type Problem,
  type Report,
  checked,
  entriesOf,
  syntaxProblem,
  unknownKey,
  withoutUndefined,
} from './config/tables.ts';
export { configured, titleOf } from './external/configured.ts';
export type { OpenedExternal } from './external/open.ts';
export { neededLogin } from './external/reasons.ts';
export type { Trial } from './external/trial.ts';
export { MAX_INSTRUCTIONS_CHARACTERS } from './instructions.ts';
export { callerOf } from './journal/calls.ts';
export { hasNote, leaveNote, withNotes } from './journal/notes.ts';
export { logIn } from './login/log-in.ts';
export { revoke } from './login/revoke.ts';
export { withLogin } from './login/server-login.ts';
export { LoginStore, loginStore } from './login/store.ts';
export { loginTexts } from './login/summary.ts';
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
export { type Listing, builtListings, preparedDefinition, recordListing } from './mounts/prepared.ts';
export { systemCall } from './mounts/system-call.ts';
export type { StartTimer } from './mounts/timer.ts';
export { type ApprovalLevel, LEVELS, type Profile, approvalFields, globsField } from './profiles/profile.ts';
export { TOOLS_MODES } from './profiles/selection.ts';
export { ranking } from './search/ranking.ts';

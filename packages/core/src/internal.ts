/** What only Deskside's own programs use. It can change in any version. */
export { KNOWN_CLIENTS, type KnownClient } from './definition/known-client.ts';
export { matchesUriTemplate } from './definition/uri-template.ts';
export type { ClientProcess, ClientRoots } from './definition/context.ts';
export {
  type AttachedClient,
  type AttachedOptions,
  attachedServer,
  type AttachedServing,
  type ServeAttached,
} from './serving/stdio/serve-stdio.ts';
export { flushed, standardOutput } from './serving/process/standard-streams.ts';
export {
  firstAnswers,
  type FirstAnswers,
  type FirstExchanges,
  shapeOf,
} from './serving/first-answers/first-answers.ts';

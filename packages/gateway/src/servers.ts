/** Servers of other authors: what was accepted of them, connections, logins. It loads the client of the SDK. */
export { partLines } from './acceptance/describe.ts';
export { openAccepted, tryServer } from './acceptance/accepted-mounts.ts';
export {
  type Due,
  type Review,
  blockedBy,
  blockedLines,
  callsPart,
  dueServers,
  offersReading,
  review,
} from './acceptance/review.ts';
export { type Accepted, ListingStore } from './acceptance/listing-store.ts';
export { configured, titleOf } from './external/configured.ts';
export type { OpenedExternal } from './external/external-mount.ts';
export { useNetworkOf } from './external/network.ts';
export { neededLogin } from './external/reasons.ts';
export type { Trial } from './external/trial.ts';
export { logIn } from './login/log-in.ts';
export { revoke } from './login/revoke.ts';
export { withLogin } from './login/server-login.ts';
export { LoginStore, loginStore } from './login/login-store.ts';
export { loginTexts } from './login/summary.ts';

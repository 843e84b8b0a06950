/** What deskside.toml says of other servers, and secrets in it. */
export { type DeskPlaces, type DeskTexts, accept, placesOf, readAccepted, readTexts } from './accepted.ts';
export { readable, watchFile } from '../files/edited.ts';
export { PrivateJson, storedTime, unlessDamaged } from '../files/private-json.ts';
export { EXTERNAL_KEYS, type ExternalServer, numberUpTo, readExternal, withSecrets } from './external.ts';
export {
  HIDDEN,
  type SecretSources,
  secretsFrom,
  shownArguments,
  shownUrl,
  withoutReferences,
} from './secrets.ts';
export {
  type Problem,
  type Report,
  checked,
  entriesOf,
  syntaxProblem,
  unknownKey,
  withoutUndefined,
} from './tables.ts';

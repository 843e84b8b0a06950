/**
 * What every program of the family needs once: the clock, private files and small guards. No MCP here:
 * domain code may import this. It uses `node:fs`; code for browsers imports `/text`.
 */
export { BoundedLines, type Line } from './bounded-lines.ts';
export { type Clock, type Scheduler, systemClock, type TimerOptions } from './clock.ts';
export { accessProblem, allNamesIn, existingPart, namesIn } from './files.ts';
export { createFile, removeDrafts, replaceFile } from './files.ts';
export { idAtEitherEnd } from './message-id.ts';
export {
  checkPrivate,
  type Permissions,
  type PrivacyProblem,
  privacyProblem,
  type PrivateFileOptions,
  readPrivateFile,
  shellQuoted,
} from './private-file.ts';
export {
  checkTokenName,
  type StoredTokens,
  type TokenChange,
  type TokenRecord,
  TokenStore,
  newSecret,
  tokenDigest,
} from './tokens.ts';
export {
  bytesText,
  DEFAULT_USER,
  DISPLAY_VARIABLES,
  getOrAdd,
  GRACE_MS,
  isObject,
  isOldNode,
} from './values.ts';
export { canonicalJson, EXACT_FORM, exactJson, parsedJson, parseObject, withPlainNumbers } from './json.ts';
export { uniqueId } from './unique-id.ts';

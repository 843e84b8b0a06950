/**
 * What every program of the family needs once: the clock, the rate limit, private files and small guards. No MCP here:
 * domain code may import this. It uses `node:fs`; code for browsers imports `/text`.
 */
export { BoundedLines, type Line } from './bounded-lines.ts';
export { type Clock, type Scheduler, systemClock, type TimerOptions } from './clock.ts';
export { type SessionBus, sessionBus } from './dbus-connection.ts';
export {
  type DaemonState,
  type DesktopNotification,
  DesktopNotifications,
  type NotificationEnd,
} from './desktop-notifications.ts';
export { allNamesIn, namesIn, nextChange, replaceFile } from './files.ts';
export { escapeHtml, escapeMarkup } from './html.ts';
export { idAtEitherEnd } from './message-id.ts';
export { type AwayOptions, type Desktop, idleMs, watchAway, watchReturn } from './idle.ts';
export {
  type ItemKind,
  itemOf,
  type ItemOutcome,
  type ItemRequest,
  type ItemStart,
  type Journal,
  type JournalFilter,
  type JournalItem,
  type JournalRecord,
  noJournal,
  type Via,
} from './journal.ts';
export {
  checkPrivate,
  type Permissions,
  type PrivacyProblem,
  privacyProblem,
  type PrivateFileOptions,
  readPrivateFile,
  shellQuoted,
} from './private-file.ts';
export { Quiet, QUIET_LOOK_MS, QUIET_PERIODS_MS, type QuietPeriod } from './quiet.ts';
export { type Rate, RateLimit } from './rate-limit.ts';
export { type StoredTokens, type TokenChange, type TokenRecord, TokenStore } from './tokens.ts';
export { newSecret, tokenDigest } from './tokens.ts';
export { bytesText, DEFAULT_USER, DISPLAY_VARIABLES, getOrAdd, GRACE_MS } from './values.ts';
export { isObject, isOldNode } from './values.ts';
export { canonicalJson, parsedJson, parseObject } from './json.ts';
export { isProgram, openInBrowser, outputOf, programPaths } from './command.ts';
export { ancestorsOf, findTerminal, raiseTerminal, type Terminal } from './terminal.ts';
export { type ScreenSaverInfo, screenSaver, selectScreenSaverEvents } from './screen-saver.ts';
export type { X11Session } from './x11-address.ts';
export { clientMessage, connectX11, uint32s, X11Connection } from './x11-connection.ts';
export {
  activateWindow,
  activeWindow,
  numbers,
  property,
  sendToRoot,
  SOURCE_PAGER,
  words,
} from './x11-windows.ts';

/**
 * Internal to Deskside: what programs at one person's desk share. It can change in any version.
 *
 * One process per user holds something, and others talk to it over lines. The desk and the popup's queue are made of it. See
 * docs/decisions/0042. The connections to the holder show that it lives: they end at once with it, also after kill -9. One record
 * names the holder. Its number grows with each holder, so a slow process sees that it is too late.
 */
export { idleMs, watchAway, watchReturn } from './away/idle.ts';
export {
  QUIET_LOOK_MS,
  QUIET_PERIODS_MS,
  Quiet,
  type QuietHours,
  type QuietPeriod,
  quietHoursLeftMs,
} from './away/quiet.ts';
export { type SessionBus, sessionBus } from './dbus/dbus-connection.ts';
export { type LoginSession, loginSessions } from './dbus/logind.ts';
export { type DaemonState, DesktopNotifications } from './dbus/notifications.ts';
export { type Greeting, greet } from './holder/greet.ts';
export { type Holding, hold, socketAddress } from './holder/holder.ts';
export { exchangeLines, sendLine } from './holder/lines.ts';
export {
  type LoopbackServer,
  isForeign,
  peerUid,
  readBody,
  refuse,
  serveLoopback,
} from './holder/loopback.ts';
export { startWatchdog } from './holder/watchdog.ts';
export { type HolderPlace, type HolderRecord, latestRecord } from './holder/record.ts';
export type { Connection } from './database/connection.ts';
export { DeskDatabase } from './database/desk-database.ts';
export { deskPlaces } from './database/places.ts';
export { openJournal, openUserJournal, withUserJournal } from './journal/journal.ts';
export {
  ITEM_KINDS,
  type ItemKind,
  type ItemOutcome,
  type ItemStart,
  type Journal,
  type JournalFilter,
  type JournalItem,
  type JournalRecord,
  type Via,
  itemOf,
  memoryJournal,
  noJournal,
  withoutContent,
} from './journal/records.ts';
export { redact, REDACTED } from './journal/redact.ts';
export { type Terminal, ancestorsOf, findTerminal, raiseTerminal } from './terminal.ts';
export type { X11Session } from './x11/address.ts';
export { X11Connection, clientMessage, connectX11, uint32s } from './x11/x11-connection.ts';
export { SOURCE_PAGER, activateWindow, activeWindow, numbers, property, sendToRoot } from './x11/windows.ts';
export { isProgram, openInBrowser, outputOf, programPaths } from './programs.ts';
export { type Rate, RateLimit } from './rate-limit.ts';
export { isLoopbackHost, isPrivateHost } from './private-host.ts';
export { digestOf } from './files/digest.ts';
export { whileLocked } from './files/lock.ts';
export { hasEnded, openFolder, ownUid, thisOwner } from './files/owner.ts';
export { textOf } from './files/update.ts';
export {
  type Approval,
  type ApprovalCall,
  type Decision,
  type Review,
  type ReviewLine,
  type ReviewPart,
  type Scope,
  callsOf,
  decisionFor,
} from './inbox/approval.ts';
export type {
  Answer,
  AnswerImage,
  ClientDesktop,
  ClientForm,
  Ended,
  Inbox,
  InboxCaller,
  InboxChange,
  InboxItem,
  InboxRequest,
  NoWindow,
  PartQuestion,
  PopupLog,
  PopupOutcome,
  Surface,
  Theme,
} from './inbox/inbox.ts';

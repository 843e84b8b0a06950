import type { Notification } from '../notification/notification.ts';
import { readNotification } from '../notification/read-notification.ts';

export interface ReadOptions {
  /** False for history, snapshots and replays: they show nothing, now or when the same call comes live again. */
  readonly live: boolean;
  /** The exact names that the tool has in the chat. Default `show_notification` and `toast_show_notification`. */
  readonly tools?: readonly string[];
}

/** The result of one step: the notifications to show now, and the memory to pass to the next step. */
export interface Reading<Memory> {
  readonly toasts: readonly Notification[];
  readonly memory: Memory;
}

const DEFAULT_TOOLS: readonly string[] = ['show_notification', 'toast_show_notification'];

/** Only the name decides: the result of another tool may contain a `notification` too. */
export function isToastTool(tool: string, { tools }: ReadOptions): boolean {
  return (tools ?? DEFAULT_TOOLS).includes(tool);
}

/** The notifications that were read. */
export interface ReadNotifications {
  readonly keys: ReadonlySet<string>;
  /** The newest timestamp, in milliseconds. */
  readonly newest: number;
  /** Those that show work in progress, with their runs, by id. */
  readonly open: ReadonlyMap<string, OpenNotification>;
}

export interface OpenNotification {
  readonly notification: Notification;
  /** The run of the agent, if the chat names it. */
  readonly runId: unknown;
}

export const nothingRead: ReadNotifications = { keys: new Set(), newest: 0, open: new Map() };

/** Older notifications are forgotten. */
const MAX_REMEMBERED = 1000;
/** A notification that is older than the newest one of its stream by more than this is history. */
const MAX_AGE_MS = 60_000;

/**
 * Reads the notification in a tool result, unless it was read before. The id of the call does not decide: some providers
 * begin to count anew with each answer.
 */
export function readOnce(
  memory: ReadNotifications,
  result: unknown,
  live: boolean,
  runId?: unknown,
): Reading<ReadNotifications> {
  const { keys, newest } = memory;
  const notification = findNotification(result);
  const key = `${notification?.id} ${notification?.timestamp}`;
  if (notification === undefined || keys.has(key)) return { toasts: [], memory };
  const at = Date.parse(notification.timestamp) || newest;
  const toasts = live && at >= newest - MAX_AGE_MS ? [notification] : [];
  const open = new Map(memory.open);
  open.delete(notification.id);
  if (toasts[0]?.loading) open.set(notification.id, { notification, runId });
  return {
    toasts,
    memory: {
      keys: new Set([...keys, key].slice(-MAX_REMEMBERED)),
      newest: Math.max(newest, at),
      open: new Map([...open].slice(-MAX_REMEMBERED)),
    },
  };
}

/** Ends the spinners of a run that has ended. @param runId without it those of all runs */
export function endRun(
  memory: ReadNotifications,
  failed: boolean,
  runId?: unknown,
): Reading<ReadNotifications> {
  const isOf = (run: unknown) => runId === undefined || run === runId;
  const open = [...memory.open];
  return {
    toasts: open
      .filter(([, { runId: run }]) => isOf(run))
      .map(([, { notification }]) => endNotification(notification, failed)),
    memory: { ...memory, open: new Map(open.filter(([, { runId: run }]) => !isOf(run))) },
  };
}

/** The same notification without its spinner: a warning, or an error if the run failed. */
export function endNotification(
  { loading: _loading, ...notification }: Notification,
  failed: boolean,
): Notification {
  // It is newer than the notification that it replaces, and older than every other result with its id.
  const timestamp = new Date((Date.parse(notification.timestamp) || 0) + 1).toISOString();
  return { ...notification, severity: failed ? 'error' : 'warning', ended: true, timestamp };
}

/** The deepest nesting: `result`, its `content`, a block, its `text`, the JSON in it. */
const MAX_DEPTH = 5;

/**
 * Finds the notification in a tool result. Chats pass it in different forms: a CallToolResult, its `structuredContent`,
 * its content blocks, the JSON of one of these, or `{ result: … }` around it.
 *
 * Trust boundary: the result comes from another process, so an invalid notification is ignored.
 */
export function findNotification(result: unknown, depth = 0): Notification | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (typeof result === 'string') return findNotification(parseObject(result), depth + 1);
  if (typeof result !== 'object' || result === null) return undefined;
  if (Array.isArray(result)) return findFirst(result, depth);
  const fields: Readonly<Record<string, unknown>> = { ...result };
  if (fields['isError'] === true) return undefined;
  if ('notification' in fields) return readNotification(fields['notification']);
  const { structuredContent, result: wrapped, content, text } = fields;
  return findFirst([structuredContent, wrapped, content, text], depth);
}

function findFirst(candidates: readonly unknown[], depth: number): Notification | undefined {
  for (const candidate of candidates) {
    const found = findNotification(candidate, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function parseObject(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}

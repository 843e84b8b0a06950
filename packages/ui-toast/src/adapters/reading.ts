import type { Notification } from '../notification/notification.ts';

export interface ReadOptions {
  /** False for history, snapshots and replays: nothing is shown, and what was read is not shown later either. */
  readonly live: boolean;
  /** The exact names under which the chat knows the tool. Default `show_notification`, `toast_show_notification`. */
  readonly tools?: readonly string[];
}

/** What one step read: the notifications to show now, and what to pass to the next step. */
export interface Reading<Memory> {
  readonly toasts: readonly Notification[];
  readonly memory: Memory;
}

/** Calls that were read; older ones are forgotten. */
const KEPT = 1000;

const DEFAULT_TOOLS: readonly string[] = ['show_notification', 'toast_show_notification'];

/** By name alone: another tool's answer may hold a `notification` too. */
export function isOurs(tool: string, { tools = DEFAULT_TOOLS }: ReadOptions): boolean {
  return tools.includes(tool);
}

export function withId(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...ids, id].slice(-KEPT));
}

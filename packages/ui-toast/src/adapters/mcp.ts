import type { Notification } from '../notification/notification.ts';
import { notificationIn } from './notification-in.ts';
import { isOurs, type ReadOptions } from './reading.ts';

export type { Notification } from '../notification/notification.ts';
export type { ReadOptions } from './reading.ts';

/** A tool call that an MCP client has made. */
export interface CalledTool {
  readonly name: string;
  /** Its CallToolResult. */
  readonly result: unknown;
}

/**
 * The notification in a tool call's result; none for other tools, errors and history.
 *
 * `for (const toast of readToolResult({ name, result }, { live: true })) toaster.show(toast);`
 */
export function readToolResult({ name, result }: CalledTool, options: ReadOptions): readonly Notification[] {
  if (!options.live || !isOurs(name, options)) return [];
  const notification = notificationIn(result);
  return notification === undefined ? [] : [notification];
}

import type { Notification } from '../notification/notification.ts';
import { findNotification, isToastTool, type ReadOptions } from './reading.ts';

export type { Notification } from '../notification/notification.ts';
export type { ReadOptions } from './reading.ts';

/** A finished tool call of an MCP client. */
export interface CalledTool {
  readonly name: string;
  /** The CallToolResult. */
  readonly result: unknown;
}

/**
 * Reads the notification of a tool call. Other tools, errors and history return an empty array.
 *
 * `for (const toast of readToolResult({ name, result }, { live: true })) toaster.show(toast);`
 */
export function readToolResult({ name, result }: CalledTool, options: ReadOptions): readonly Notification[] {
  if (!options.live || !isToastTool(name, options)) return [];
  const notification = findNotification(result);
  return notification === undefined ? [] : [notification];
}

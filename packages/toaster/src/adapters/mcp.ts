import type { Notification } from '../notification/notification.ts';
import { endNotification, findNotification, isToastTool, type ReadOptions } from './reading.ts';

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

/**
 * Ends the spinners of a run, which an MCP client does not see: call it with the toasts of the run when your agent stops.
 *
 * `for (const toast of endToasts(toasts, { failed: false })) toaster.show(toast);`
 */
export function endToasts(
  toasts: readonly Notification[],
  { failed }: { readonly failed: boolean },
): readonly Notification[] {
  const latest = [...new Map(toasts.map((toast) => [toast.id, toast])).values()];
  return latest.filter(({ loading }) => loading).map((toast) => endNotification(toast, failed));
}

import type { Notification } from '../notification/notification.ts';
import { readNotification } from '../notification/read-notification.ts';

/** Wrappers around an answer that are looked into: result, its content, a block's text, the JSON in it. */
const DEEPEST = 5;

/**
 * Finds the notification in a tool's answer, as the different ends of a chat hand it over: a CallToolResult, its
 * `structuredContent` alone, its content blocks, the JSON of any of these, or `{ result: … }` around it.
 */
export function notificationIn(answer: unknown, depth = 0): Notification | undefined {
  if (depth > DEEPEST) return undefined;
  if (typeof answer === 'string') return notificationIn(parsed(answer), depth + 1);
  if (typeof answer !== 'object' || answer === null) return undefined;
  if (Array.isArray(answer)) return firstOf(answer, depth);
  const wrapper: Readonly<Record<string, unknown>> = { ...answer };
  if (wrapper['isError'] === true) return undefined;
  if ('notification' in wrapper) return readNotification(wrapper['notification']);
  const { structuredContent, result, content, text } = wrapper;
  return firstOf([structuredContent, result, content, text], depth);
}

function firstOf(candidates: readonly unknown[], depth: number): Notification | undefined {
  for (const candidate of candidates) {
    const found = notificationIn(candidate, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}

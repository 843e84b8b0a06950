import type { Notification } from './notification.ts';
import { readContent } from './read-content.ts';
import { InvalidNotification } from './read-values.ts';

/** A tool's answer from outside, checked; undefined where it is no notification. */
export function readNotification(value: unknown): Notification | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const given: { id?: unknown; timestamp?: unknown } = value;
  const { id, timestamp } = given;
  if (typeof id !== 'string' || id === '' || typeof timestamp !== 'string') return undefined;
  try {
    return { id, ...readContent({ ...value }), timestamp };
  } catch (error) {
    if (error instanceof InvalidNotification) return undefined;
    throw error;
  }
}

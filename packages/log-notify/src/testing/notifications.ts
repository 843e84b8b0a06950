import type { Policy } from '../delivery/policy.ts';
import type { Level } from '../message/levels.ts';
import { type Notification, notification } from '../message/notification.ts';

/** A policy that lets everything through. */
export const openPolicy: Policy = {
  level: 'info',
  contexts: [],
  excludeContexts: [],
  rate: undefined,
  fold: 0,
  digest: 0,
  quietHours: undefined,
  queue: 1000,
};

export function told(message: string, level: Level = 'info', context = 'llm', time = 0): Notification {
  return notification({ level, context, message }, time);
}

import { randomUUID } from 'node:crypto';
import type { Level } from './levels.ts';

/** The record's target, by which filters know it; `llm_notify::<level>` is the one they are matched against. */
export const TARGET = 'llm_notify';

/** One thing that a person is told. Its texts are as they came: each sink makes them safe for its own medium. */
export interface Notification {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly level: Level;
  readonly context: string;
  readonly message: string;
  /** What the client calls itself; never proof of anything. */
  readonly client?: string;
}

export interface Spoken {
  readonly level: Level;
  readonly context: string;
  readonly message: string;
  readonly client?: string;
}

export function notification(spoken: Spoken, time: number): Notification {
  return { id: randomUUID(), time, ...spoken };
}

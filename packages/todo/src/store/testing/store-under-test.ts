import type { Call, TaskStore } from '../task-store.ts';

/** The moment at which a store under test believes to be; the fraction must be cut off. */
export const moment = new Date('2025-12-20T10:30:00.999Z');

export interface AuditRow {
  readonly actor: string;
  readonly user: string;
  readonly tool: string;
  readonly outcome: string;
  readonly taskId: number | null;
  readonly changed: string | null;
}

export interface StoreUnderTest {
  readonly store: TaskStore;
  /** Oldest first, every column that the table has. */
  audit(): Promise<readonly AuditRow[]>;
}

/** Opens an empty store whose clock stands at `moment`, and closes it when the test ends. */
export type OpenStore = () => Promise<StoreUnderTest>;

export function callOf(user: string, tool = 'some_tool'): Call {
  return { actor: user, user, tool };
}

import type { CallerContext, TaskStore } from '../store/task-store.ts';

/** The clock of a store under test. Stores cut off the fraction of a second. */
export const NOW = new Date('2025-12-20T10:30:00.999Z');

export interface StoreUnderTest {
  readonly store: TaskStore;
  /** Another server of the same database. */
  another(): TaskStore;
  /** Moves the clock of the store. */
  pass(milliseconds: number): void;
}

/** Opens an empty store whose clock returns `NOW`, and closes it when the test ends. */
export type OpenStore = () => Promise<StoreUnderTest>;

export function callerContext(user: string, tool = 'some_tool'): CallerContext {
  return { actor: user, user, tool };
}

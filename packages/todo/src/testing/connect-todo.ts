import { connectInProcess, fixedClock, LEGS, type Peer } from '@deskside/testkit';
import { onTestFinished } from 'vitest';
import type { TodoOptions } from '../options.ts';
import { todoServer } from '../server.ts';
import { openTodo } from '../todo.ts';

type Leg = Pick<(typeof LEGS)[number], 'era' | 'over'>;

/** A client of a server of its own, which ends with the test. Its clock says 2025-12-20T10:30:00.999Z. */
export async function connectTodo(leg: Leg = LEGS[2], options: TodoOptions = {}): Promise<Peer> {
  const { now } = fixedClock('2025-12-20T10:30:00.999Z');
  const todo = openTodo({ database: ':memory:', ...options }, { now });
  onTestFinished(() => todo[Symbol.asyncDispose]());
  const peer = await connectInProcess(todoServer(todo), leg);
  onTestFinished(() => peer[Symbol.asyncDispose]());
  return peer;
}

import { fixedClock, IS_PROOF, randomOf, SEED } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { postgresTaskStore } from '../postgres/postgres-task-store.ts';
import { sqliteTaskStore } from '../sqlite/sqlite-task-store.ts';
import { givenIn } from '../store/records.ts';
import type { TaskChanges, TaskQuery, TaskStore } from '../store/task-store.ts';
import { wordsOf } from '../store/words.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { callerContext, NOW } from './store-under-test.ts';

const USERS = 10;
const CALLS_PER_USER = IS_PROOF ? 5000 : 60;

/** Pieces of words, and characters with a meaning for a database or for what reads its answers. */
const PIECES = 'a ab é e\u0301 ß İ 1 й ς 漢 𐐷 שָׁ 😀 \u200D \u{F0000} _ - . \' " * % \\ + $1 \n \u00A0'
  .split(' ')
  .concat([' ', ' ', ' ']);

const SERIES = [null, 'day', 'weekday', 'week', '3 days', 'month', 'month on 31', 'year', 'mon and thu'];

type Call = (store: TaskStore) => Promise<unknown>;

/** One random call. Later calls find, change and delete what earlier ones have added. */
function randomCall(user: string, below: (limit: number) => number): Call {
  const caller = callerContext(user);
  const isIn = (percent: number) => below(100) < percent;
  const one = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const text = (pieces: number) => Array.from({ length: 1 + below(pieces) }, () => one(PIECES)).join('');
  const date = () => `2025-12-${10 + below(20)}`;
  const changes = (): TaskChanges => ({
    ...(isIn(50) ? { title: text(9) } : {}),
    ...(isIn(50) ? { description: isIn(30) ? null : text(20) } : {}),
    ...(isIn(30) ? { dueDate: isIn(30) ? null : date() } : {}),
    ...(isIn(30) ? { every: one(SERIES) } : {}),
  });
  const query = (): TaskQuery => {
    const words = wordsOf(text(4)).slice(0, 20);
    return {
      status: one(['all', 'pending', 'completed']),
      limit: 1 + below(12),
      ...(isIn(30) ? { afterId: 1 + below(80) } : {}),
      ...(words.length > 0 && isIn(85) ? { words } : {}),
      ...(isIn(20) ? { dueBy: date() } : {}),
    };
  };
  const dice = below(100);
  if (dice < 15) {
    const given = givenIn({ ...changes(), dueDate: isIn(50) ? null : date() });
    const task = { description: null, ...given, title: text(9) };
    const key = isIn(20) ? `key ${below(5)}` : undefined;
    return (store) => store.add(caller, task, key);
  }
  const id = isIn(1) ? 3e9 : 1 + below(80);
  const [given, asked] = [changes(), query()];
  if (dice < 20) return (store) => store.complete(caller, id);
  if (dice < 23) return (store) => store.reopen(caller, id);
  if (dice < 30) return (store) => store.remove(caller, id);
  if (dice < 35) return (store) => store.restore(caller, id);
  if (dice < 36) return (store) => store.removeForGood(caller, id);
  if (dice < 45) return (store) => store.update(caller, id, given);
  return (store) => store.list(caller, asked);
}

async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    return String(error);
  }
}

export function describeSameAnswers(database: () => PostgresDatabase): void {
  test(`${USERS * CALLS_PER_USER} random calls have the same answers on SQLite and on PostgreSQL`, async () => {
    await database().clear();
    const { now } = fixedClock(NOW.toISOString());
    await using sqlite = sqliteTaskStore({ file: ':memory:', now });
    await using postgres = postgresTaskStore({ url: database().url, now });
    let found = 0;
    const work = async (index: number): Promise<void> => {
      const below = randomOf(SEED + index);
      for (let made = 0; made < CALLS_PER_USER; made += 1) {
        const call = randomCall(`user ${index}`, below);
        const [one, other] = await Promise.all([outcomeOf(call(sqlite)), outcomeOf(call(postgres))]);
        expect(one, `user ${index}, call ${made}`).toStrictEqual(other);
        if (JSON.stringify(one ?? null).includes('"tasks":[{')) found += 1;
      }
    };
    await Promise.all(Array.from({ length: USERS }, (_, index) => work(index)));
    expect(found).toBeGreaterThan((USERS * CALLS_PER_USER) / 20);
  });
}

import { fixedClock, IS_PROOF, SEED } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { postgresTaskStore } from '../postgres/postgres-task-store.ts';
import { sqliteTaskStore } from '../sqlite/sqlite-task-store.ts';
import type { TaskChanges, TaskQuery, TaskStore } from '../store/task-store.ts';
import { wordsOf } from '../store/words.ts';
import { randomNumbers } from './model-user.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { callerContext, NOW } from './store-under-test.ts';

const USERS = 10;
const CALLS_PER_USER = IS_PROOF ? 5000 : 60;

/** Pieces of words that a rule for letters can get wrong, and what separates words. */
const PIECES = [
  'a ab Ab é e\u0301 ï ÿ ß ẞ ſ ﬁ İ ı i\u0307 Å ø 1 ٣ ² ½ й и\u0306 ё Ї чай σ ς Σ ά ὀ ᾳ Ꭰ ꭰ ა Ა दू ก็ 한 漢 字 שָׁ مُ 𐐷 𐐏',
  '\u200D \u061C \uE000 \u{F0000} 😀 🏳️‍🌈 _ - . \' " * % \\ + \n \u00A0',
]
  .flatMap((pieces) => pieces.split(' '))
  .concat([' ', ' ', ' ']);

const SERIES = [null, 'day', 'weekday', 'week', '3 days', 'month', 'month on 31', 'year', 'mon and thu'];

type Call = (store: TaskStore) => Promise<unknown>;

/** One random call. Later calls find, change and delete what earlier ones have added. */
function randomCall(user: string, random: () => number): Call {
  const caller = callerContext(user);
  const below = (limit: number) => Math.floor(random() * limit);
  const one = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const text = (pieces: number) => Array.from({ length: 1 + below(pieces) }, () => one(PIECES)).join('');
  const date = () => `2025-12-${10 + below(20)}`;
  const id = () => (random() < 0.01 ? 3e9 : 1 + below(80));
  const changes = (): TaskChanges => ({
    ...(random() < 0.5 ? { title: text(9) } : {}),
    ...(random() < 0.5 ? { description: random() < 0.3 ? null : text(20) } : {}),
    ...(random() < 0.3 ? { dueDate: random() < 0.3 ? null : date() } : {}),
    ...(random() < 0.3 ? { every: one(SERIES) } : {}),
  });
  const query = (): TaskQuery => {
    const words = wordsOf(text(4)).slice(0, 20);
    return {
      status: one(['all', 'pending', 'completed']),
      limit: 1 + below(12),
      ...(random() < 0.3 ? { afterId: id() } : {}),
      ...(words.length > 0 && random() < 0.85 ? { words } : {}),
      ...(random() < 0.2 ? { dueBy: date() } : {}),
    };
  };
  const dice = random();
  if (dice < 0.15) {
    const task = {
      title: text(9),
      description: random() < 0.5 ? null : text(20),
      dueDate: random() < 0.5 ? null : date(),
      every: random() < 0.5 ? null : one(SERIES),
    };
    const key = random() < 0.2 ? `key ${below(5)}` : undefined;
    return (store) => store.add(caller, task, key);
  }
  if (dice < 0.2) return always(id(), (store, task) => store.complete(caller, task));
  if (dice < 0.23) return always(id(), (store, task) => store.reopen(caller, task));
  if (dice < 0.3) return always(id(), (store, task) => store.remove(caller, task));
  if (dice < 0.35) return always(id(), (store, task) => store.restore(caller, task));
  if (dice < 0.36) return always(id(), (store, task) => store.removeForGood(caller, task));
  if (dice < 0.45) {
    const given = changes();
    return always(id(), (store, task) => store.update(caller, task, given));
  }
  const asked = query();
  return (store) => store.list(caller, asked);
}

function always(id: number, call: (store: TaskStore, id: number) => Promise<unknown>): Call {
  return (store) => call(store, id);
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
    const sqlite = sqliteTaskStore({ file: ':memory:', now });
    const postgres = postgresTaskStore({ url: database().url, now });
    onTestFinished(async () => {
      await sqlite[Symbol.asyncDispose]();
      await postgres[Symbol.asyncDispose]();
    });
    let found = 0;
    const work = async (index: number): Promise<void> => {
      const random = randomNumbers(SEED + index);
      for (let made = 0; made < CALLS_PER_USER; made += 1) {
        const call = randomCall(`user ${index}`, random);
        const [one, other] = await Promise.all([outcomeOf(call(sqlite)), outcomeOf(call(postgres))]);
        expect(one, `user ${index}, call ${made}`).toStrictEqual(other);
        if (JSON.stringify(one ?? null).includes('"tasks":[{')) found += 1;
      }
    };
    await Promise.all(Array.from({ length: USERS }, (_, index) => work(index)));
    expect(found).toBeGreaterThan((USERS * CALLS_PER_USER) / 20);
  });
}

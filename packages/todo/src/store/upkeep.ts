// What the store does besides the calls: counts, expiry, and the tokens of servers.
import type { StoredTokens, TokenRecord } from '@deskside/core/base';
import { sql } from 'drizzle-orm';
import { daysBefore } from './records.ts';
import { callCounts, idempotencyKeys, tasks, tokens } from './schema.ts';
import {
  ask,
  columnsBut,
  command,
  encoded,
  finish,
  given,
  itemFields,
  names,
  type Operation,
  query,
  selected,
  toRows,
} from './statements.ts';
import { type CallCount, REPLAY_DAYS, RESTORE_DAYS } from './task-store.ts';
import { type Driver, NOBODY } from './waiting-calls.ts';

const HOUR_MS = 3_600_000;

const actAs = command((dialect) => dialect.actAs);

const addCount = command(
  () => sql`INSERT INTO ${callCounts} AS known (${names(columnsBut(callCounts))})
    VALUES (${given('actor')}, ${given('day')}, ${given('tool')}, ${given('outcome')}, ${given('calls')})
    ON CONFLICT (actor, day, tool, outcome) DO UPDATE SET calls = known.calls + excluded.calls`,
);

export function* addCounts(counts: readonly CallCount[]): Operation<void> {
  yield* finish(...counts.flatMap((count) => [actAs({ actor: count.actor }), addCount({ ...count })]));
}

const deleteOldTasks = query(
  () => sql`DELETE FROM ${tasks} WHERE ${tasks.deletedAt} <= ${given('removedBefore')} RETURNING 1`,
  () => true,
);
const deleteOldKeys = command(
  () => sql`DELETE FROM ${idempotencyKeys} WHERE ${idempotencyKeys.createdAt} <= ${given('usedBefore')}`,
);

/**
 * Removes what can no longer be restored, and keys that no longer replay, of all users.
 *
 * @returns whether texts were removed
 */
export function* purge(now: Date): Operation<boolean> {
  const removedBefore = daysBefore(now, RESTORE_DAYS).getTime();
  const usedBefore = daysBefore(now, REPLAY_DAYS).getTime();
  const [removed] = yield* finish(deleteOldTasks({ removedBefore }), deleteOldKeys({ usedBefore }));
  return removed.length > 0;
}

/** Runs at once and then every hour: what is old is old by the clock, also after a laptop has slept. */
export function everyHour(work: () => void): NodeJS.Timeout {
  work();
  return setInterval(work, HOUR_MS).unref();
}

const token = selected(tokens);
const readTokens = query(() => sql`SELECT ${token.fields} FROM ${tokens} ORDER BY name`, token.decode);
const lockTokens = command((dialect) => dialect.lockTokens);
const deleteTokens = command(() => sql`DELETE FROM ${tokens}`);
const insertTokens = command(
  ({ each }) => sql`INSERT INTO ${tokens} (${names(columnsBut(tokens))})
    SELECT ${itemFields(columnsBut(tokens))} FROM ${each(given('rows'))}`,
);
const useToken = command(
  () => sql`UPDATE ${tokens} SET used = ${given('used')} WHERE sha256 = ${given('sha256')}`,
);

function toRecord({ used, ...token }: typeof tokens.$inferSelect): TokenRecord {
  return { ...token, used: used ?? undefined };
}

function toRow({ used, user = '', ...record }: TokenRecord) {
  return encoded(tokens, { ...record, used: used ?? null, user });
}

/** The tokens in the database, which all servers of it accept. */
export function storedTokens(driver: Driver, now: () => Date): StoredTokens {
  return {
    read: () =>
      driver.read(NOBODY, function* read() {
        const [found] = yield* finish(readTokens());
        return found.map(toRecord);
      }),
    change: (change) => {
      function* work() {
        const [, found] = yield* ask(lockTokens(), readTokens());
        const { tokens: next, answer } = change(found.map(toRecord));
        yield* finish(deleteTokens(), insertTokens({ rows: toRows(next.map(toRow)) }));
        return answer;
      }
      return driver.change({ caller: NOBODY, work });
    },
    async noteUse(sha256) {
      const work = () => finish(useToken({ sha256, used: now().toISOString() }));
      await driver.change({ caller: NOBODY, work });
    },
  };
}

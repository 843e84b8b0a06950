import { hasPostgres } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { CLAIMED_TASKS, CLAIMING_PROCESSES, RACE_TIMEOUT_MS, raceForClaims } from '../testing/claim-race.ts';
import { usePostgres } from '../testing/postgres-database.ts';

const needs = hasPostgres ? '' : ' (skipped: apt-get install postgresql)';

describe.skipIf(!hasPostgres)(`claims on a real PostgreSQL server${needs}`, () => {
  const database = usePostgres();

  test(
    `${CLAIMING_PROCESSES} processes that are killed while they claim ${CLAIMED_TASKS} tasks claim each of them once`,
    { timeout: RACE_TIMEOUT_MS },
    async () => {
      const { ids, printed } = await raceForClaims(database().url);
      const claims = await database().query<{ id: number }>(
        "SELECT task_id::int AS id FROM deskside_todo.audit WHERE tool = 'claim_task' AND outcome = 'ok' ORDER BY id",
      );
      expect(claims.map(({ id }) => id)).toStrictEqual(ids);
      expect(new Set(printed).size).toBe(printed.length);
    },
  );
});

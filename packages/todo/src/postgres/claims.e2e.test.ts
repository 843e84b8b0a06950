import { hasPostgres } from '@deskside/testkit';
import { describe, test } from 'vitest';
import { CLAIMED_TASKS, CLAIMING_PROCESSES, RACE_TIMEOUT_MS, raceForClaims } from '../testing/claim-race.ts';
import { usePostgres } from '../testing/postgres-database.ts';

const needs = hasPostgres ? '' : ' (skipped: apt-get install postgresql)';

describe.skipIf(!hasPostgres)(`claims on a real PostgreSQL server${needs}`, () => {
  const database = usePostgres();

  test(
    `${CLAIMING_PROCESSES} processes that are killed while they claim ${CLAIMED_TASKS} tasks claim each of them once`,
    { timeout: RACE_TIMEOUT_MS },
    async () => {
      await raceForClaims(database().url, async () => {
        const rows = await database().query<{ id: number }>(
          "SELECT task_id::int AS id FROM deskside_todo.audit WHERE tool = 'claim_task' AND outcome = 'ok'",
        );
        return rows.map(({ id }) => id);
      });
    },
  );
});

import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { test } from 'vitest';
import { CLAIMED_TASKS, CLAIMING_PROCESSES, RACE_TIMEOUT_MS, raceForClaims } from '../testing/claim-race.ts';

test(
  `${CLAIMING_PROCESSES} processes that are killed while they claim ${CLAIMED_TASKS} tasks of one file claim each of them once`,
  { timeout: RACE_TIMEOUT_MS },
  async () => {
    const file = join(temporaryFolder(), 'todo.sqlite');
    await raceForClaims(file, async () => {
      const database = new Database(file, { readonly: true });
      const claims = database
        .prepare<[], number>("SELECT task_id FROM audit WHERE tool = 'claim_task' AND outcome = 'ok'")
        .pluck()
        .all();
      database.close();
      return claims;
    });
  },
);

import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { LONG_RACE, raceForClaims, SHORT_RACE } from '../testing/claim-race.ts';

const SIZE = process.env['DESKSIDE_PROOF'] === '1' ? LONG_RACE : SHORT_RACE;

test(`${SIZE.processes} processes that are killed while they claim ${SIZE.tasks} tasks of one file claim each of them once`, async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const { ids, printed, shares } = await raceForClaims({
    size: SIZE,
    database: file,
    user: 'anna',
    taskOf: (holder) => ({ role: 'claimer', file, user: 'anna', holder }),
  });
  // The lock lets each of them in.
  expect(Math.min(...shares)).toBeGreaterThan(0);
  const database = new Database(file, { readonly: true });
  const claimed = database
    .prepare("SELECT task_id FROM audit WHERE tool = 'claim_task' AND outcome = 'ok' ORDER BY task_id")
    .pluck()
    .all();
  database.close();
  expect(claimed).toStrictEqual(ids);
  expect(new Set(printed).size).toBe(printed.length);
});

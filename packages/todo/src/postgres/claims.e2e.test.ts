import { DEFAULT_USER } from '@deskside/core/base';
import { hasPostgres } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { LONG_RACE, raceForClaims, SHORT_RACE } from '../testing/claim-race.ts';
import { usePostgres } from '../testing/postgres-database.ts';
import { MAIN_TOKEN, startReplica } from '../testing/replica.ts';

const SIZE = process.env['DESKSIDE_PROOF'] === '1' ? LONG_RACE : SHORT_RACE;
const SERVERS = 4;
const needs = hasPostgres ? '' : ' (skipped: apt-get install postgresql)';

describe.skipIf(!hasPostgres)(`claims on a real PostgreSQL server${needs}`, () => {
  const database = usePostgres();

  test(`${SIZE.processes} clients of ${SERVERS} servers claim each of ${SIZE.tasks} tasks once, while clients and servers are killed`, async () => {
    const servers = await Promise.all(Array.from({ length: SERVERS }, () => startReplica(database().url)));
    const urls = servers.map(({ url }) => url);
    let restarting: Promise<void> | undefined;
    const { ids, printed } = await raceForClaims({
      size: SIZE,
      database: database().url,
      user: DEFAULT_USER,
      taskOf: (_, index) => {
        const first = index % SERVERS;
        return { role: 'client', urls: [...urls.slice(first), ...urls.slice(0, first)], token: MAIN_TOKEN };
      },
      async killServer(round) {
        const index = round % SERVERS;
        const { port, kill } = servers[index] as (typeof servers)[number];
        await kill();
        restarting = startReplica(database().url, port).then((started) => void (servers[index] = started));
      },
      beforeRound: async () => restarting,
    });
    const claims = await database().query<{ id: number }>(
      "SELECT task_id::int AS id FROM deskside_todo.audit WHERE tool = 'claim_task' AND outcome = 'ok' ORDER BY task_id",
    );
    expect(claims.map(({ id }) => id)).toStrictEqual(ids);
    expect(new Set(printed).size).toBe(printed.length);
  });
});

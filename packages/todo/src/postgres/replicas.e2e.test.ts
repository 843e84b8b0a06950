import { connectHttp, hasPostgres, IS_PROOF, type Peer, SEED } from '@deskside/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ModelUser } from '../testing/model-user.ts';
import { hasNginx, startNginx } from '../testing/nginx.ts';
import { usePostgres } from '../testing/postgres-database.ts';
import { hasPgBouncer, startPgBouncer } from '../testing/pgbouncer.ts';
import { MAIN_TOKEN, startReplica } from '../testing/replica.ts';

const USERS = IS_PROOF ? 20 : 6;
const CALLS = IS_PROOF ? 5000 : 240;
/** So many that each replica gets some. */
const SUBSCRIBERS = 12;
/** The replicas use another URL for that of the database. */
const WAYS: readonly (readonly [words: string, pooled: (url: string) => string | Promise<string>])[] = [
  ['', (url) => url],
  ...(IS_PROOF && hasPgBouncer ? [[' behind PgBouncer', startPgBouncer] as const] : []),
];
const needs = hasPostgres && hasNginx ? '' : ' (skipped: apt-get install postgresql nginx)';

describe.skipIf(!hasPostgres || !hasNginx)(`replicas on a real PostgreSQL server${needs}`, () => {
  const database = usePostgres();

  test.each(WAYS)(
    `${USERS} users of two replicas%s lose and double nothing while both replicas are killed in turn and the database restarts`,
    async (_, pooled) => {
      await database().clear();
      const databaseUrl = await pooled(database().url);
      const users = Array.from({ length: USERS }, (_, index) => new ModelUser(`user${index}`, SEED + index));
      const env = {
        DESKSIDE_SECRET: 'a-secret-of-the-replicas',
        TODO_DELEGATED_USERS: users.map(({ name }) => name).join(','),
      };
      const start = (port?: number) => startReplica(databaseUrl, port, env);
      const replicas = await Promise.all([start(), start()]);
      const restart = async (index: 0 | 1) => void (replicas[index] = await start(replicas[index].port));
      const { url, requests } = await startNginx([replicas[0].port, replicas[1].port]);
      const peers = await Promise.all(
        users.map((_, index) =>
          connectHttp(url, { era: index % 2 === 0 ? 'modern' : 'legacy', token: MAIN_TOKEN }),
        ),
      );
      onTestFinished(async () => void (await Promise.all(peers.map((peer) => peer[Symbol.asyncDispose]()))));

      const acknowledged = () => users.reduce((sum, user) => sum + user.acknowledged, 0);
      const failed = () => users.reduce((sum, user) => sum + user.failures.length, 0);
      /** All users make calls until this many more are acknowledged, and until `event` is over. */
      async function work(calls: number, event?: Promise<void>): Promise<void> {
        const goal = acknowledged() + calls;
        const state = { isOver: false };
        const watch = async () => {
          await event;
          state.isOver = true;
        };
        const act = async (user: ModelUser, peer: Peer) => {
          while (acknowledged() < goal || !state.isOver) await user.act(peer);
        };
        await Promise.all([watch(), ...users.map((user, index) => act(user, peers[index] as Peer))]);
      }

      await work(CALLS / 4);
      expect(users.flatMap(({ failures }) => failures)).toStrictEqual([]);
      for (const index of [0, 1] as const) {
        const failedBefore = failed();
        await work(CALLS / 8, replicas[index].kill());
        // Each user had at most one call in flight.
        expect(failed() - failedBefore).toBeLessThanOrEqual(USERS);
        await work(CALLS / 8, restart(index));
      }
      const before = replicas.map(({ port }) => requests(port));
      await work(CALLS / 4, restartDatabase());
      // A short run may have no call at that moment.
      if (IS_PROOF) expect(failed()).toBeGreaterThan(0);
      for (const [index, { port }] of replicas.entries())
        expect(requests(port)).toBeGreaterThan(before[index] ?? 0);

      const rows = await database().query<{ user: string; id: number; title: string; completed: boolean }>(
        'SELECT user_id AS user, id::int AS id, title, completed = 1 AS completed FROM deskside_todo.tasks WHERE deleted_at IS NULL',
      );
      const faults = users.flatMap((user) => user.check(rows.filter((row) => row.user === user.name)));
      const logged = faults.length === 0 ? [] : replicas.flatMap((replica) => replica.errors());
      expect(new Set(rows.map((row) => row.user)).size).toBe(USERS);
      expect([...faults, ...logged]).toStrictEqual([]);
    },
  );

  test('a client with a session learns of a change, whichever replicas its requests meet first', async () => {
    const env = { DESKSIDE_SECRET: 'a-secret-of-the-replicas' };
    const start = () => startReplica(database().url, 0, env);
    const [one, other] = await Promise.all([start(), start()]);
    const { url } = await startNginx([one.port, other.port]);
    const subscribers = await Promise.all(Array.from({ length: SUBSCRIBERS }, () => subscribe(url)));
    await using adding = await connectHttp(url, { era: 'modern', token: MAIN_TOKEN });
    const due_date = new Date().toISOString().slice(0, 10);
    const state = { isOver: false };
    const all = Promise.all(subscribers.map(({ heard }) => heard)).finally(() => (state.isOver = true));
    // The first look of a replica tells nothing.
    while (!state.isOver) await adding.callTool('add_task', { user_id: 'me', title: 'Call dad', due_date });
    expect(new Set(await all)).toStrictEqual(new Set(['todo://tasks/today']));
  });

  async function restartDatabase(): Promise<void> {
    await database().server.stop();
    await database().server.start();
  }
});

/** A client of 2025-11-25 that opens its stream, and subscribes. @returns what resolves with the first change */
async function subscribe(url: string): Promise<{ readonly heard: Promise<string> }> {
  const peer = await connectHttp(url, { era: 'legacy', token: MAIN_TOKEN });
  onTestFinished(() => peer[Symbol.asyncDispose]());
  const { client } = peer;
  if ('listen' in client) throw new Error('This needs the client of 2025.');
  const { promise: heard, resolve } = Promise.withResolvers<string>();
  client.fallbackNotificationHandler = async ({ method, params }) => {
    if (method === 'notifications/resources/updated') resolve(String(params?.['uri']));
  };
  await client.subscribeResource({ uri: 'todo://tasks/today' });
  return { heard };
}

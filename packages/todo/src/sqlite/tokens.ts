import type { StoredTokens, TokenRecord } from '@deskside/core/base';
import { asc, eq } from 'drizzle-orm';
import type { GroupQueue } from './group-queue.ts';
import { tokens } from './schema.ts';
import type { Connection } from './statements.ts';

type Queue = GroupQueue<Connection>;

/** The tokens in the file, which all servers of it accept. */
export function sqliteTokens(reads: Queue, writes: Queue, now: () => Date): StoredTokens {
  return {
    read: () => reads.run(readTokens),
    change: (change) =>
      writes.run((connection) => {
        const { tokens: next, answer } = change(readTokens(connection));
        connection.orm.delete(tokens).run();
        for (const { user = '', created, used, ...token } of next) {
          const times = { created: new Date(created), used: used === undefined ? null : new Date(used) };
          const row = { ...token, user, ...times };
          connection.orm.insert(tokens).values(row).run();
        }
        return answer;
      }),
    async noteUse(sha256) {
      const used = now();
      await writes.run(({ orm }) => orm.update(tokens).set({ used }).where(eq(tokens.sha256, sha256)).run(), {
        isBackground: true,
      });
    },
  };
}

function readTokens({ orm }: Connection): readonly TokenRecord[] {
  const rows = orm.select().from(tokens).orderBy(asc(tokens.name)).all();
  return rows.map(({ name, user, sha256, created, used }) => {
    return { name, user, sha256, created: created.toISOString(), used: used?.toISOString() };
  });
}

import type { StoredTokens, TokenChange, TokenRecord } from '@deskside/core/base';
import { asc, eq } from 'drizzle-orm';
import type { GroupQueue } from './group-queue.ts';
import { tokens } from './schema.ts';
import type { Connection } from './statements.ts';

/** The tokens in the file, which all servers of it accept. */
export class SqliteTokens implements StoredTokens {
  readonly #reads: GroupQueue<Connection>;
  readonly #writes: GroupQueue<Connection>;
  readonly #now: () => Date;

  constructor(reads: GroupQueue<Connection>, writes: GroupQueue<Connection>, now: () => Date) {
    this.#reads = reads;
    this.#writes = writes;
    this.#now = now;
  }

  read(): Promise<readonly TokenRecord[]> {
    return this.#reads.run(readTokens);
  }

  change<Answer>(change: TokenChange<TokenRecord, Answer>): Promise<Answer> {
    return this.#writes.run((connection) => {
      const { tokens: next, answer } = change(readTokens(connection));
      connection.orm.delete(tokens).run();
      for (const { user = '', created, used, ...token } of next) {
        const times = { created: new Date(created), used: used === undefined ? null : new Date(used) };
        connection.orm
          .insert(tokens)
          .values({ ...token, user, ...times })
          .run();
      }
      return answer;
    });
  }

  async noteUse(sha256: string): Promise<void> {
    const used = this.#now();
    await this.#writes.run(
      ({ orm }) => orm.update(tokens).set({ used }).where(eq(tokens.sha256, sha256)).run(),
      { isBackground: true },
    );
  }
}

function readTokens({ orm }: Connection): readonly TokenRecord[] {
  const rows = orm.select().from(tokens).orderBy(asc(tokens.name)).all();
  return rows.map(({ name, user, sha256, created, used }) => {
    return { name, user, sha256, created: created.toISOString(), used: used?.toISOString() };
  });
}

import { and, eq, inArray, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { type TaskText, wordsOfTask } from '../store/words.ts';
import { LAST_CODE_POINT, MAX_LOOKED_UP_WORDS } from '../store/word-search.ts';
import { taskWords } from './schema.ts';

export interface IndexedTask extends TaskText {
  readonly userId: string;
  readonly id: number;
}

/** Adds the words of tasks that have none. */
export async function addWords(database: NodePgDatabase, tasks: readonly IndexedTask[]): Promise<void> {
  const rows = tasks.flatMap((task) =>
    wordsOfTask(task).map((word) => ({ user: task.userId, word, id: task.id })),
  );
  const columns = [
    sql`${sql.param(rows.map(({ user }) => user))}::text[]`,
    sql`${sql.param(rows.map(({ word }) => word))}::text[]`,
    sql`${sql.param(rows.map(({ id }) => id))}::bigint[]`,
  ];
  await database.execute(sql`INSERT INTO ${taskWords} SELECT * FROM unnest(${sql.join(columns, sql`, `)})`);
}

/** Call it with the text whose words were added. */
export async function removeWords(
  database: NodePgDatabase,
  user: string,
  { id, ...text }: TaskText & { readonly id: number },
): Promise<void> {
  const isOwn = and(eq(taskWords.userId, user), eq(taskWords.taskId, id));
  await database.delete(taskWords).where(and(isOwn, inArray(taskWords.word, [...wordsOfTask(text)])));
}

/** The prefix that begins the fewest words of a user, if it begins less than `MAX_LOOKED_UP_WORDS`. */
export async function rarestPrefix(
  database: NodePgDatabase,
  user: string,
  prefixes: readonly string[],
): Promise<string | undefined> {
  const { rows } = await database.execute<{ prefix: string }>(sql`
    SELECT prefix FROM (
      SELECT prefix, (SELECT count(*) FROM (
        SELECT 1 FROM ${taskWords} WHERE ${hasPrefix(user, sql`prefix`)} LIMIT ${MAX_LOOKED_UP_WORDS}
      ) AS found) AS words
      FROM unnest(${sql.param(prefixes)}::text[]) AS prefix
    ) AS counted WHERE words < ${MAX_LOOKED_UP_WORDS} ORDER BY words, prefix COLLATE "C" LIMIT 1`);
  return rows[0]?.prefix;
}

/** The ids of the tasks of a user with a word that begins like this. */
export function tasksWithPrefix(user: string, prefix: string) {
  return sql`SELECT ${taskWords.taskId} FROM ${taskWords} WHERE ${hasPrefix(user, sql`${prefix}::text`)}`;
}

/** These comparisons are leakproof: they may use the index in spite of the row level security. */
function hasPrefix(user: string, prefix: ReturnType<typeof sql>) {
  const { userId, word } = taskWords;
  return sql`${userId} = ${user} AND ${word} >= ${prefix} AND ${word} < ${prefix} || ${LAST_CODE_POINT}`;
}

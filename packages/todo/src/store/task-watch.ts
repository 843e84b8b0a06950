import { sql } from 'drizzle-orm';
import { audit } from './schema.ts';
import { finish, given, query } from './statements.ts';
import type { Driver } from './waiting-calls.ts';

/** How late a change is noticed. */
const LOOK_INTERVAL_MS = 250;

/** Changes of one user are committed in the order of their ids, but for claims of the next task. */
const LATE_ROWS = 100;

/** The newest changes, also some from before `since`. Several tasks have no id. */
const newChanges = query(
  () => sql`SELECT id, task_id FROM ${audit} WHERE ${audit.user} = ${given('user')}
    AND id > coalesce(${given('since')}, (SELECT max(id) FROM ${audit}), 0) - ${sql.raw(String(LATE_ROWS))} ORDER BY id`,
  ([id, taskId]) => ({ id: Number(id), taskId: taskId === null ? undefined : Number(taskId) }),
);

/**
 * Tells which tasks of a user are changed, by whichever process: both databases have a row in the audit for each change.
 *
 * @param changed the id is undefined if several tasks were added
 * @returns a function that ends it
 */
export function watchTasks(driver: Driver, user: string, changed: (taskId?: number) => void): () => void {
  /** The rows of the last look. Undefined before the first one, which tells nothing. */
  let seen: ReadonlySet<number> | undefined;
  let newest: number | null = null;
  let isLooking = false;
  let isEnded = false;

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    const work = () => finish(newChanges({ user, since: newest }));
    // What cannot be read now is read by the next look.
    const [rows] = await driver.read({ user, actor: user }, work).catch(() => []);
    isLooking = false;
    if (rows === undefined || isEnded) return;
    const news = rows.filter(({ id }) => seen?.has(id) === false);
    seen = new Set(rows.map(({ id }) => id));
    newest = rows.at(-1)?.id ?? newest;
    for (const taskId of new Set(news.map((row) => row.taskId))) changed(taskId);
  }

  const timer = setInterval(() => void look(), LOOK_INTERVAL_MS).unref();
  void look();
  return () => {
    isEnded = true;
    clearInterval(timer);
  };
}

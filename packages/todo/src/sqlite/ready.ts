import { sql, type SQL } from 'drizzle-orm';
import { tasks } from './schema.ts';

/** Unix time in milliseconds on the clock of the database: all processes of this machine have the same. */
export const NOW_MS = sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`;

/**
 * Whether a task is pending, waits for no pending task, and nobody holds it. CROSS JOIN keeps the order: SQLite would read
 * all tasks of the user for each task.
 */
export function isReady(): SQL {
  return sql`(NOT ${tasks.completed} AND coalesce(${tasks.claimedUntil}, 0) <= ${NOW_MS} AND NOT EXISTS (
    SELECT 1 FROM json_each(${tasks.waitsFor}) AS first CROSS JOIN ${tasks} AS earlier
    WHERE earlier.user_id = ${tasks.userId} AND earlier.id = first.value AND NOT earlier.completed))`;
}

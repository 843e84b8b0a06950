import { sql, type SQL } from 'drizzle-orm';
import { tasks } from './schema.ts';

/** The clock of the database: that of the transaction would stand still while it waits for a lock. */
export const NOW = sql`clock_timestamp()`;

/** Whether a task is pending, waits for no pending task, and nobody holds it. */
export function isReady(): SQL {
  return sql`(NOT ${tasks.completed} AND coalesce(${tasks.claimedUntil} <= ${NOW}, true) AND NOT EXISTS (
    SELECT 1 FROM ${tasks} AS earlier
    WHERE earlier.user_id = ${tasks.userId} AND earlier.id = ANY(${tasks.waitsFor}) AND NOT earlier.completed))`;
}

import { sql } from 'drizzle-orm';
import type { Dialect } from '../store/statements.ts';
import { LISTENER_LOCK } from './listener.ts';
import { SETTINGS } from './migrations.ts';

export const postgresDialect: Dialect = {
  now: sql`CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)`,
  each: (json) => sql`jsonb_array_elements(CAST(${json} AS jsonb)) AS item (value)`,
  forUpdate: sql` FOR NO KEY UPDATE`,
  skipLocked: sql` FOR NO KEY UPDATE SKIP LOCKED`,
  lockTokens: sql`LOCK TABLE tokens IN SHARE ROW EXCLUSIVE MODE`,
  // Servers with subscribers of this user hold the lock. NOTIFY lets commits wait for each other, so it is not for all.
  announce: sql` RETURNING NOT pg_try_advisory_xact_lock(${sql.raw(String(LISTENER_LOCK))}, hashtext("user"))
    AND pg_notify('deskside_todo', md5("user") || ' ' || coalesce(task_id, 0)) IS NULL`,
  actAs: sql`SELECT set_config('${sql.raw(SETTINGS.actor)}', ${sql.placeholder('actor')}, true)`,
};

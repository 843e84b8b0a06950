import { sql } from 'drizzle-orm';
import type { Dialect } from '../store/statements.ts';

export const sqliteDialect: Dialect = {
  now: sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
  each: (json) => sql`json_each(${json}) AS item`,
  forUpdate: sql``,
  skipLocked: sql``,
  announce: sql``,
};

import { migrations } from './migrations.ts';
import { openConnection } from './sqlite-connection.ts';
import { SqliteTasks } from './sqlite-tasks.ts';

/** All that needs better-sqlite3 and drizzle hangs on this module: import it when the first call comes. */
export function openTasks(file: string, now: () => Date): SqliteTasks {
  return new SqliteTasks(openConnection(file, migrations), now);
}

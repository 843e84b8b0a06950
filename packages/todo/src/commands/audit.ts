import { defineCommand, integerField } from '@deskside/core/cli';
import { auditLines, screenOf } from './table.ts';
import type { AuditRow } from '../store/task-store.ts';
import { jsonFlag, storeOptions, withStore } from './with-store.ts';

const DEFAULT_ROWS = 20;

export const audit = defineCommand({
  options: storeOptions,
  flags: {
    limit: integerField(1, 999_999_999)
      .default(DEFAULT_ROWS)
      .meta({ placeholder: 'NUMBER', description: 'How many calls, newest first.' }),
    ...jsonFlag,
  },
  details: 'Prints the calls of and for the user. The audit has no titles and no descriptions.',
  examples: ['deskside-todo audit', 'deskside-todo audit --limit 1000 --json'],
  async run({ limit, json, ...settings }, { env, output, print, note }) {
    const rows = await withStore(settings, 'audit', (store, caller) => store.readAudit(caller, limit));
    if (json) print(JSON.stringify(rows.map(toJsonRow), undefined, 2));
    else if (rows.length === 0) note('No calls.');
    else for (const line of auditLines(rows, screenOf(output, env))) print(line);
  },
});

/** The names of the columns. */
function toJsonRow({ at, actor, user, tool, outcome, taskId, changed }: AuditRow) {
  return { at, actor, user, tool, outcome, task_id: taskId, changed };
}

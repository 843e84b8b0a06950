import { integerField } from '@deskside/core/program';
import * as z from 'zod';
import { DAY_MS } from '../store/records.ts';
import type { AuditRow } from '../store/task-store.ts';
import { alignedLines, auditLines, printResult, type Screen } from './table.ts';
import { jsonFlag, storeCommand } from './store-command.ts';

export const audit = storeCommand('audit', {
  flags: {
    limit: integerField(1, 999_999_999)
      .default(20)
      .meta({ placeholder: 'NUMBER', description: 'How many lines, newest first.' }),
    counts: z
      .boolean()
      .default(false)
      .meta({ description: 'Print how often each caller has read, or was refused, per day.' }),
    ...jsonFlag,
  },
  details: 'Prints the changes of and for the user. The audit has no titles and no descriptions.',
  examples: [
    'deskside-todo audit',
    'deskside-todo audit --counts',
    'deskside-todo audit --limit 1000 --json',
  ],
  async run({ limit, counts: isCounts, json }, context) {
    const { changes, counts } = await context.store.readAudit(context.caller, limit);
    const days = counts.map(({ day, actor, tool, outcome, calls }) => {
      return { day: new Date(day * DAY_MS).toISOString().slice(0, 10), actor, tool, outcome, calls };
    });
    const cells = days.map(({ day, tool, calls, outcome }) => [day, tool, String(calls), '', outcome]);
    const lines = (screen: Screen) => (isCounts ? alignedLines(cells, screen) : auditLines(changes, screen));
    const none = `No ${isCounts ? 'reads and refused calls' : 'changes'} yet. Those of agents appear, too.`;
    printResult({ json, value: isCounts ? days : changes.map(toJsonRow), lines, none }, context);
  },
});

/** The names of the columns. */
function toJsonRow({ at, actor, user, tool, outcome, taskId, changed }: AuditRow) {
  return { at, actor, user, tool, outcome, task_id: taskId, changed };
}

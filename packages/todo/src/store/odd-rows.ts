import { parseWallTime } from '@deskside/core/dates';
import { everyOf } from './recurrence.ts';

/** The tasks that another program can have written, for `oddRows`. The condition ends it. */
export const READ_ODD_ROWS = `SELECT tasks.user_id AS "user", tasks.id AS id, due_date AS due, every, last_task_id AS last
  FROM tasks JOIN users ON users.id = tasks.user_id
  WHERE due_date IS NOT NULL OR every IS NOT NULL OR tasks.id > last_task_id ORDER BY 1, 2`;

export interface RowToCheck {
  readonly user: string;
  readonly id: number;
  readonly due: string | null;
  readonly every: string | null;
  readonly last: number;
}

/** What this program has not written, one sentence per row. The calls go on. */
export function oddRows(rows: readonly RowToCheck[]): readonly string[] {
  return rows.flatMap(({ user, id, due, every, last }) => {
    const task = `Task ${id} of ${user}`;
    return [
      ...(id > last ? [`${task} has an id that no server has given: the next task gets a higher one.`] : []),
      ...(due !== null && parseWallTime(due) === undefined
        ? [`${task} is due on ${due}, which does not exist.`]
        : []),
      ...(every !== null && everyOf(every) !== every
        ? [`${task} comes back "${every}", which no server understands.`]
        : []),
    ];
  });
}

// What `doctor` says about the content of a database.
import { parseWallTime } from '@deskside/core/dates';
import { escapeInvisible } from '@deskside/core/text';
import { everyOf } from './recurrence.ts';

export type Problem = readonly [problem: string, remedy: string];

export interface Findings {
  readonly facts: readonly (readonly [label: string, value: string, kind?: 'detail'])[];
  readonly problems: readonly Problem[];
}

/** How many tasks a user has. */
export interface UserTasks {
  readonly id: string;
  readonly pending: number;
  readonly completed: number;
}

/** The tasks that another program can have written. The condition ends it. */
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

/**
 * @param version 0 if there are no tables
 * @param newest that this program creates
 */
export function contentOf(
  version: number,
  newest: number,
  users: readonly UserTasks[],
  rows: readonly RowToCheck[],
): Findings {
  const outdated = version >= newest ? '' : ` (the next call migrates it to ${newest})`;
  const pending = users.reduce((sum, user) => sum + user.pending, 0);
  const completed = users.reduce((sum, user) => sum + user.completed, 0);
  const listed = users.map((user) => {
    return `${escapeInvisible(user.id)}: ${user.pending} pending, ${user.completed} completed`;
  });
  return {
    facts: [
      ['Schema version', `${version}${outdated}`, 'detail'],
      ['Tasks', `${pending} pending, ${completed} completed`],
      ['Users', listed.join('\n') || 'none', 'detail'],
    ],
    problems: rows
      .flatMap(oddities)
      .map((problem) => [problem, 'Change or delete the task with deskside-todo.']),
  };
}

/** What this program has not written. The calls go on. */
function oddities({ user, id, due, every, last }: RowToCheck): readonly string[] {
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
}

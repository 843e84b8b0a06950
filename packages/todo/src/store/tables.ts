// The present tables of both databases. After a release, a change of `schema.ts` or of this file needs a migration, too.
import { type Column, getTableColumns, getTableName, type Table } from 'drizzle-orm';
import { audit, callCounts, idempotencyKeys, tasks, tokens, users } from './schema.ts';

/** A step of the schema. */
export interface Migration {
  readonly name: string;
  /** Statements that raise the schema by one version. */
  readonly sql: string;
}

/** What the databases write differently. */
export interface TableWords {
  readonly integer: string;
  readonly text: string;
  /** A primary key that only grows. */
  readonly counter: string;
  readonly isDate: (column: string) => string;
  readonly isList: (column: string) => string;
  /** What ends a table. */
  readonly end: string;
}

/** What another program writes is refused, if no answer could show it. */
export function createTables({ integer, text, counter, isDate, isList, end }: TableWords): string {
  const rules = new Map<Column, string>([
    [tasks.userId, 'REFERENCES users (id)'],
    [tasks.completed, 'CHECK (completed IN (0, 1))'],
    [tasks.createdAt, 'CHECK (created_at BETWEEN -30610224000 AND 253402300799)'],
    [tasks.dueDate, `CHECK (${isDate('due_date')})`],
    [tasks.priority, 'CHECK (priority BETWEEN 1 AND 3)'],
    [tasks.after, `DEFAULT '[]' CHECK (${isList('waits_for')})`],
    [idempotencyKeys.userId, 'REFERENCES users (id)'],
  ]);
  const columnOf = (column: Column) => {
    if (column === audit.id) return `id ${counter}`;
    const type = column.getSQLType() === 'integer' ? integer : text;
    return `"${column.name}" ${type}${column.notNull ? ' NOT NULL' : ''} ${rules.get(column) ?? ''}`;
  };
  const table = (from: Table, ...key: readonly Column[]) => {
    const columns = Object.values(getTableColumns(from)).map(columnOf);
    const primary = key.length === 0 ? [] : [`PRIMARY KEY (${key.map(({ name }) => name).join(', ')})`];
    return `CREATE TABLE ${getTableName(from)} (${[...columns, ...primary].join(',\n  ')})${end};`;
  };
  const { actor, day, tool, outcome } = callCounts;
  return [
    table(users, users.id),
    table(tasks, tasks.userId, tasks.id),
    'CREATE INDEX all_tasks ON tasks (user_id, id) WHERE deleted_at IS NULL;',
    'CREATE INDEX pending_tasks ON tasks (user_id, id) WHERE deleted_at IS NULL AND completed = 0;',
    'CREATE INDEX completed_tasks ON tasks (user_id, id) WHERE deleted_at IS NULL AND completed = 1;',
    'CREATE INDEX tasks_by_due_date ON tasks (user_id, due_date) WHERE due_date IS NOT NULL;',
    'CREATE INDEX deleted_tasks ON tasks (deleted_at) WHERE deleted_at IS NOT NULL;',
    table(idempotencyKeys, idempotencyKeys.userId, idempotencyKeys.key),
    'CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);',
    table(callCounts, actor, day, tool, outcome),
    table(audit),
    table(tokens, tokens.name),
  ].join('\n');
}

import { createTables, type Migration } from '../store/tables.ts';

/** Everything is in one schema, so that the database may contain other things too. */
export const SCHEMA = 'deskside_todo';

/** Settings of a transaction that the row level security compares with. */
export const SETTINGS = {
  user: 'deskside.user_id',
  actor: 'deskside.actor',
  /** Set: only what can't be restored or replayed any more is visible, of all users. */
  purge: 'deskside.purge',
} as const;

const ACTOR = `current_setting('${SETTINGS.actor}', true)`;

/** A transaction sees only the rows of the user that it names, also as the owner of the tables. */
const OWN_ROWS = Object.entries({
  users: ['id'],
  tasks: ['user_id'],
  deleted_tasks: ['user_id'],
  idempotency_keys: ['user_id'],
  call_counts: [],
  audit: ['"user"'],
}).map(([table, users]) => {
  const own = users.map((column) => `${column} = current_setting('${SETTINGS.user}', true)`);
  const ofActor = table === 'audit' || table === 'call_counts' ? [`actor = ${ACTOR}`] : [];
  return `
ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON ${table} USING (${[...ofActor, ...own].join(' OR ')});`;
});

const expired = (table: string, column: string, age: string) => `
CREATE POLICY expired ON ${table} USING (current_setting('${SETTINGS.purge}', true) = 'on'
  AND ${column} < extract(epoch FROM now() - interval '${age}') * 1000);`;

/** Each entry raises the schema by one version. The search path is the schema. */
export const migrations: readonly Migration[] = [
  {
    name: 'tasks',
    sql: [
      createTables({
        integer: 'bigint',
        // It orders as SQLite does.
        text: 'text COLLATE "C"',
        counter: 'bigserial PRIMARY KEY',
        isDate: (column) => `${column} ~ '^[0-9]{4}-[0-1][0-9]-[0-3][0-9]$'`,
        isList: (column) => `jsonb_typeof(${column}::jsonb) = 'array'`,
        end: '',
      }),
      ...OWN_ROWS,
      expired('deleted_tasks', 'deleted_at', '30 days'),
      expired('idempotency_keys', 'created_at', '24 hours'),
    ].join(''),
  },
];

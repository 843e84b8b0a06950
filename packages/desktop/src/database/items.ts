import type { SQLInputValue } from 'node:sqlite';
import { type Connection, TAKEN } from './connection.ts';

const TEXTS = ['id', 'kind', 'caller', 'user', 'owner'] as const;
const KNOWN_OF_CALLER = ['token', 'project', 'session', 'mount', 'tool', 'transport'] as const;
/** `content` is JSON. */
const KNOWN_LATER = ['outcome', 'via', 'display', 'content'] as const;
const NUMBERS = ['shown', 'seen', 'ended', 'ms'] as const;
const COLUMNS = [...TEXTS, 'asked', ...KNOWN_OF_CALLER, ...KNOWN_LATER, ...NUMBERS] as const;

/** A row of the table, as it is written. Times are milliseconds since 1970. */
export type ItemRow = Record<(typeof TEXTS)[number], string> &
  Record<'asked', number> &
  Known<(typeof KNOWN_OF_CALLER | typeof KNOWN_LATER)[number], string> &
  Known<(typeof NUMBERS)[number], number>;

type Known<Name extends string, Value> = { [Each in Name]?: Value | undefined };

export function valuesOf(row: ItemRow): SQLInputValue[] {
  return COLUMNS.map((column) => row[column] ?? null);
}

const LIST = COLUMNS.join(', ');
/** An item has a part of its call, and one of what the call asks, which says how the item ends. */
const isMoreThanCall = (row: string) => `${row}.kind <> 'call'`;
const firstKnown = (column: string) => `${column} = coalesce(items.${column}, excluded.${column})`;
const ofItem = (column: string) => `${column} = CASE
    WHEN items.kind = 'call' AND ${isMoreThanCall('excluded')} THEN excluded.${column}
    WHEN excluded.kind = 'call' AND ${isMoreThanCall('items')} THEN items.${column}
    ELSE coalesce(items.${column}, excluded.${column}) END`;

/** What was known first counts, and the last writer has the item. */
const MERGE = `ON CONFLICT (id) DO UPDATE SET
  kind = iif(items.kind = 'call', excluded.kind, items.kind),
  ${['outcome', 'ended', 'via'].map(ofItem).join(',\n  ')},
  ${['mount', 'tool', 'transport', 'token', 'project', 'session', 'display', 'shown', 'seen'].map(firstKnown).join(',\n  ')},
  ms = iif(excluded.kind = 'call', coalesce(excluded.ms, items.ms), coalesce(items.ms, excluded.ms)),
  content = iif(excluded.content IS NULL, items.content, json_patch(coalesce(items.content, '{}'), excluded.content)),
  owner = excluded.owner,
  changed = excluded.changed`;

export const WRITE_ITEM = `INSERT INTO items (${LIST}, changed)
  VALUES (${COLUMNS.map(() => '?').join(', ')}, (SELECT coalesce(max(changed), 0) + 1 FROM items)) ${MERGE}`;

/** Each write of an item has the next number. */
export const LAST_CHANGE = 'SELECT coalesce(max(changed), 0) AS changed FROM items';

/** @param where conditions */
export function selectItems(where: readonly string[], rows: number): string {
  const condition = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`;
  return `SELECT number, changed, ${LIST} FROM items ${condition} ORDER BY number DESC LIMIT ${rows}`;
}

export const READ_STATE = 'SELECT value FROM states WHERE name = ?';
export const WRITE_STATE = `INSERT INTO states (name, value) VALUES (?, ?)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** Takes all of another place over. Who uses it notices that with the next use. */
export function takeOver(from: Connection, to: Connection): void {
  from.transaction(() => {
    to.transaction(() => copyAll(from, to));
    for (const table of ['items', 'states', 'deliveries']) from.database.exec(`DELETE FROM ${table}`);
    from.statement(WRITE_STATE).run(TAKEN, '');
  });
}

function copyAll(from: Connection, to: Connection): void {
  const items = from.statement(`SELECT ${LIST} FROM items ORDER BY number`);
  for (const row of items.iterate()) to.statement(WRITE_ITEM).run(...Object.values(row));
  const states = from.statement('SELECT name, value FROM states WHERE name <> ?');
  for (const row of states.iterate(TAKEN)) to.statement(WRITE_STATE).run(...Object.values(row));
  const deliveries = from.statement('SELECT * FROM deliveries ORDER BY number');
  for (const { number = null, ...row } of deliveries.iterate()) {
    const columns = Object.keys(row);
    const values = columns.map(() => '?').join(', ');
    // Who has it in hand knows its number. Node.js 22 does not bind `?1`.
    const free = '(SELECT :number WHERE NOT EXISTS (SELECT 1 FROM deliveries WHERE number = :number))';
    const sql = `INSERT INTO deliveries (number, ${columns.join(', ')}) VALUES (${free}, ${values})`;
    to.statement(sql).run({ number }, ...Object.values(row));
  }
}

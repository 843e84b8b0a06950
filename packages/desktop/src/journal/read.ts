import { setImmediate } from 'node:timers/promises';
import { parseObject, type Scheduler } from '@deskside/core/base';
import { localIso } from '@deskside/core/dates';
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { Connection } from '../database/connection.ts';
import type { DeskDatabase } from '../database/desk-database.ts';
import { LAST_CHANGE, selectItems } from '../database/items.ts';
import { hasEnded } from '../files/owner.ts';
import { ITEM_KINDS, type JournalFilter, type JournalRecord } from './records.ts';

/** More would hold the event loop up. */
const ROWS_PER_TURN = 500;
/** How often it is looked whether the process of an open item runs. */
const LIFE_INTERVAL_MS = 1000;
/** An item of a process that may or may not run ends after this time. */
const UNKNOWN_OWNER_MS = 86_400_000;

type Row = Readonly<Record<string, SQLOutputValue>>;

interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** Reads items as records, the newest last. */
export async function recordsIn(
  database: DeskDatabase,
  filter: JournalFilter,
  conditions: readonly Condition[] = [],
): Promise<readonly JournalRecord[]> {
  const { limit = Infinity } = filter;
  const found: JournalRecord[] = [];
  const add = (record: JournalRecord) => {
    // The process of an item that is open in the database may have ended.
    const isWanted = filter.isOpen === undefined || record.outcome === undefined;
    if (found.length < limit && isWanted && (filter.matches?.(record) ?? true)) found.push(record);
    return found.length < limit;
  };
  const all = [...conditionsOf(filter), ...conditions];
  const first = filter.since && (await firstSince(database, filter.since));
  if (first === undefined) await each(database, all, add);
  else {
    await each(database, [...all, { sql: 'number >= ?', values: [first] }], add);
    const earlier = [{ sql: 'number < ?', values: [first] }, OPEN];
    if (found.length < limit) await each(database, [...all, ...earlier], add);
  }
  return found.toReversed();
}

/** What `recordsIn` returns, and then each record that has changed. */
export async function* follow(
  database: DeskDatabase,
  clock: Scheduler,
  { limit, ...filter }: JournalFilter,
  signal: AbortSignal,
): AsyncGenerator<readonly JournalRecord[]> {
  let changed = Promise.withResolvers<void>();
  const wake = () => changed.resolve();
  const stop = database.watch(wake);
  signal.addEventListener('abort', wake);
  try {
    let { generation } = database;
    let last = await lastChange(database);
    yield await recordsIn(database, { ...filter, limit }, [{ sql: 'changed <= ?', values: [last] }]);
    const open = new Set((await recordsIn(database, { isOpen: true })).map(({ id }) => id));
    while (!signal.aborted) {
      const isSame = generation === database.generation;
      ({ generation } = database);
      const next = await lastChange(database);
      const news: Condition = { sql: 'changed > ?', values: [isSame ? last : 0] };
      const written = next === last && isSame ? [] : await recordsIn(database, {}, [news]);
      last = next;
      const known = open.size === 0 ? [] : await recordsIn(database, { ids: open });
      // The processes of some have ended.
      const ended = known.filter(({ outcome }) => outcome !== undefined);
      for (const { id, outcome } of [...written, ...ended]) {
        if (outcome === undefined) open.add(id);
        else open.delete(id);
      }
      const ids = new Set([...written, ...ended].map(({ id }) => id));
      const wanted = ids.size === 0 ? [] : await recordsIn(database, { ...filter, since: undefined, ids });
      if (wanted.length > 0) yield wanted;
      const cancel = open.size === 0 ? undefined : clock.after(LIFE_INTERVAL_MS, wake);
      await changed.promise;
      cancel?.();
      changed = Promise.withResolvers();
    }
  } finally {
    signal.removeEventListener('abort', wake);
    stop();
  }
}

function lastChange(database: DeskDatabase): Promise<number> {
  return database.read((connection) => numberIn(connection.statement(LAST_CHANGE).get(), 'changed'));
}

/** A clock may have jumped: what is earlier comes with it. */
function firstSince(database: DeskDatabase, since: Date): Promise<number> {
  const sql = 'SELECT coalesce(min(number), 1e15) AS first FROM items WHERE asked >= ?';
  return database.read((connection) => numberIn(connection.statement(sql).get(since.getTime()), 'first'));
}

/** Calls back for the newest record first, until the callback returns false. */
async function each(
  database: DeskDatabase,
  conditions: readonly Condition[],
  add: (record: JournalRecord) => boolean,
): Promise<void> {
  const sql = selectItems([...conditions.map((one) => one.sql), 'number < ?'], ROWS_PER_TURN);
  const values = conditions.flatMap((one) => one.values);
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const read = (connection: Connection) => connection.statement(sql).all(...values, before);
    const rows = await database.read(read);
    for (const row of rows) if (!add(recordOf(row))) return;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_PER_TURN) return;
    before = numberIn(last, 'number');
    await setImmediate();
  }
}

function recordOf(row: Row): JournalRecord {
  const time = (name: string) => {
    const ms = row[name];
    return typeof ms === 'number' ? localIso(new Date(ms)) : undefined;
  };
  const content = text(row, 'content');
  // Its process may have ended before it.
  const asked = new Date(numberIn(row, 'asked'));
  const isOver = row['outcome'] !== null || hasEnded(text(row, 'owner') ?? '', asked, UNKNOWN_OWNER_MS);
  return {
    id: text(row, 'id') ?? '',
    kind: ITEM_KINDS.find((kind) => kind === row['kind']) ?? 'call',
    caller: text(row, 'caller') ?? '',
    user: text(row, 'user') ?? '',
    token: text(row, 'token'),
    project: text(row, 'project'),
    session: text(row, 'session'),
    mount: text(row, 'mount'),
    tool: text(row, 'tool'),
    transport: row['transport'] === 'http' ? 'http' : undefined,
    asked: localIso(asked),
    shown: time('shown'),
    seen: time('seen'),
    ended: time('ended'),
    outcome: text(row, 'outcome') ?? (isOver ? 'interrupted' : undefined),
    via: text(row, 'via'),
    display: text(row, 'display'),
    ms: typeof row['ms'] === 'number' ? row['ms'] : undefined,
    content: content === undefined ? undefined : parseObject(content),
  };
}

const OPEN: Condition = { sql: 'outcome IS NULL', values: [] };

function conditionsOf({ ids, project, kind, isOpen, hasContent }: JournalFilter): readonly Condition[] {
  return [
    ids && { sql: 'id IN (SELECT value FROM json_each(?))', values: [JSON.stringify([...ids])] },
    project === undefined ? undefined : { sql: 'project = ?', values: [project] },
    kind === undefined ? undefined : { sql: 'kind = ?', values: [kind] },
    isOpen && OPEN,
    hasContent && { sql: 'content IS NOT NULL', values: [] },
  ].filter((condition) => condition !== undefined);
}

function text(row: Row, name: string): string | undefined {
  const value = row[name];
  return typeof value === 'string' ? value : undefined;
}

function numberIn(row: Row | undefined, name: string): number {
  return Number(row?.[name]);
}

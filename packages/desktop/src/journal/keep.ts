import { parseObject } from '@deskside/core/base';
import type { Connection } from '../database/connection.ts';
import { READ_STATE, WRITE_STATE } from '../database/items.ts';

/** The name of the setting in the database, so that all programs of a user keep to it. */
const KEEP_STATE = 'keep';

/** How long items are kept, in days. */
export interface Keep {
  /** The texts. 0: none are stored. */
  readonly texts: number;
  readonly items: number;
}

export const DEFAULT_KEEP: Keep = { texts: 7, items: 90 };

const DAY_MS = 86_400_000;
/** Deleting more at once would hold the event loop up. */
const MAX_ROWS = 500;
/**
 * Too old is what began before the first one that is not: the date of one alone may be wrong. The plus keeps SQLite from the
 * index of the dates: in the order of the numbers the first one is found at once.
 */
const old = (condition: string) => `SELECT number FROM items WHERE ${condition} AND number < coalesce(
  (SELECT number FROM items WHERE ${condition} AND +asked >= ? AND +asked <= ? ORDER BY number LIMIT 1), 1e15)
  LIMIT ${MAX_ROWS}`;
const DELETE_TEXTS = `UPDATE items SET content = NULL WHERE number IN (${old('content IS NOT NULL')})`;
const DELETE_ITEMS = `DELETE FROM items WHERE number IN (${old('true')})`;
const LAST_OLD = 'SELECT max(asked) AS last FROM items WHERE asked < ?';
/** A machine that was off for longer may have a wrong date. */
const MAX_PAUSE_DAYS = 30;

/** @returns the days that the person has chosen; the default for a missing or invalid value */
export function keepIn(connection: Connection): Keep {
  const stored = connection.statement(READ_STATE).get(KEEP_STATE)?.['value'];
  const { texts, items } = parseObject(String(stored ?? '')) ?? {};
  return { texts: daysIn(texts, DEFAULT_KEEP.texts), items: daysIn(items, DEFAULT_KEEP.items) };
}

function daysIn(value: unknown, fallback: number): number {
  return typeof value === 'number' && value >= 0 ? value : fallback;
}

/** The person chooses, and nothing older stays. @returns what holds now, and true if nothing too old is left */
export function changeKeep(connection: Connection, change: Partial<Keep>, now: Date) {
  const keep = { ...keepIn(connection), ...change };
  connection.statement(WRITE_STATE).run(KEEP_STATE, JSON.stringify(keep));
  return { keep, isDone: deleteAll(connection, keep, now) };
}

/** Deletes texts and items that are too old, a part at a time. @returns true if nothing too old is left */
export function deleteOld(connection: Connection, keep: Keep, now: Date): boolean {
  // After a long pause nothing is too old for a week: if the date is wrong, the person corrects it meanwhile.
  const weekAgoMs = now.getTime() - 7 * DAY_MS;
  const last = connection.statement(LAST_OLD).get(weekAgoMs)?.['last'];
  if (typeof last === 'number' && last < weekAgoMs - MAX_PAUSE_DAYS * DAY_MS) return true;
  return deleteAll(connection, keep, now);
}

function deleteAll(connection: Connection, keep: Keep, now: Date): boolean {
  const nowMs = now.getTime();
  // A clock may have been ahead.
  const deleted = (sql: string, days: number) =>
    Number(connection.statement(sql).run(nowMs - days * DAY_MS, nowMs + MAX_PAUSE_DAYS * DAY_MS).changes);
  return deleted(DELETE_TEXTS, keep.texts) < MAX_ROWS && deleted(DELETE_ITEMS, keep.items) < MAX_ROWS;
}

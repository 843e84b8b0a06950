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
/** A machine that was off for longer may have a wrong date. */
const MAX_PAUSE_DAYS = 30;

/** @returns what the person has chosen, the default for what is not stored, or not valid */
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
  const daysAgo = (days: number) => now.getTime() - days * DAY_MS;
  // After a long pause nothing is too old for a week: if the date is wrong, the person corrects it meanwhile.
  const last = connection.statement('SELECT max(asked) AS last FROM items WHERE asked < ?').get(daysAgo(7))?.[
    'last'
  ];
  if (typeof last === 'number' && last < daysAgo(7 + MAX_PAUSE_DAYS)) return true;
  return deleteAll(connection, keep, now);
}

function deleteAll(connection: Connection, keep: Keep, now: Date): boolean {
  const before = (days: number) => now.getTime() - days * DAY_MS;
  const texts = connection
    .statement(
      `UPDATE items SET content = NULL WHERE number IN
        (SELECT number FROM items WHERE content IS NOT NULL AND asked < ? LIMIT ${MAX_ROWS})`,
    )
    .run(before(keep.texts));
  const items = connection
    .statement(
      `DELETE FROM items WHERE number IN (SELECT number FROM items WHERE asked < ? LIMIT ${MAX_ROWS})`,
    )
    .run(before(keep.items));
  return texts.changes < MAX_ROWS && items.changes < MAX_ROWS;
}

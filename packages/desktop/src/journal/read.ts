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

/** Reads items as records. */
export class ItemReader {
  readonly #database: DeskDatabase;
  readonly #clock: Scheduler;

  constructor(database: DeskDatabase, clock: Scheduler) {
    this.#database = database;
    this.#clock = clock;
  }

  async records(
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
    const first = filter.since && (await this.#firstSince(filter.since));
    if (first === undefined) await this.#each(all, add);
    else {
      await this.#each([...all, { sql: 'number >= ?', values: [first] }], add);
      const earlier = [{ sql: 'number < ?', values: [first] }, OPEN];
      if (found.length < limit) await this.#each([...all, ...earlier], add);
    }
    return found.toReversed();
  }

  async *follow(
    { limit, ...filter }: JournalFilter,
    signal: AbortSignal,
  ): AsyncGenerator<readonly JournalRecord[]> {
    let changed = Promise.withResolvers<void>();
    const wake = () => changed.resolve();
    const stop = this.#database.watch(wake);
    signal.addEventListener('abort', wake);
    try {
      let { generation } = this.#database;
      let last = await this.#lastChange();
      const upTo: Condition = { sql: 'changed <= ?', values: [last] };
      yield await this.records({ ...filter, limit }, [upTo]);
      const open = new Set((await this.records({ isOpen: true }, [upTo])).map(({ id }) => id));
      while (!signal.aborted) {
        const isSame = generation === this.#database.generation;
        ({ generation } = this.#database);
        const next = await this.#lastChange();
        const news: Condition = { sql: 'changed > ?', values: [isSame ? last : 0] };
        const written = next === last && isSame ? [] : await this.records({}, [news]);
        last = next;
        for (const { id } of written) open.delete(id);
        const known = open.size === 0 ? [] : await this.records({ ids: open });
        // Their processes have ended.
        const ended = known.filter(({ outcome }) => outcome !== undefined);
        for (const { id, outcome } of [...written, ...ended]) {
          if (outcome === undefined) open.add(id);
          else open.delete(id);
        }
        const ids = new Set([...written, ...ended].map(({ id }) => id));
        const wanted = ids.size === 0 ? [] : await this.records({ ...filter, since: undefined, ids });
        if (wanted.length > 0) yield wanted;
        const cancel = open.size === 0 ? undefined : this.#clock.after(LIFE_INTERVAL_MS, wake);
        await changed.promise;
        cancel?.();
        changed = Promise.withResolvers();
      }
    } finally {
      signal.removeEventListener('abort', wake);
      stop();
    }
  }

  #lastChange(): Promise<number> {
    return this.#database.read((connection) => numberIn(connection.statement(LAST_CHANGE).get(), 'changed'));
  }

  /** A clock may have jumped: what is earlier comes with it. */
  #firstSince(since: Date): Promise<number> {
    const sql = 'SELECT coalesce(min(number), 1e15) AS first FROM items WHERE asked >= ?';
    return this.#database.read((connection) =>
      numberIn(connection.statement(sql).get(since.getTime()), 'first'),
    );
  }

  /** Calls back for the newest record first, until the callback returns false. */
  async #each(conditions: readonly Condition[], add: (record: JournalRecord) => boolean): Promise<void> {
    const sql = selectItems([...conditions.map((each) => each.sql), 'number < ?'], ROWS_PER_TURN);
    const values = conditions.flatMap((each) => each.values);
    let before = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const read = (connection: Connection) => connection.statement(sql).all(...values, before);
      const rows = await this.#database.read(read);
      for (const row of rows) if (!add(this.#recordOf(row))) return;
      const last = rows.at(-1);
      if (last === undefined || rows.length < ROWS_PER_TURN) return;
      before = numberIn(last, 'number');
      await setImmediate();
    }
  }

  #recordOf(row: Row): JournalRecord {
    const time = (name: string) => {
      const ms = row[name];
      return typeof ms === 'number' ? localIso(new Date(ms)) : undefined;
    };
    const content = text(row, 'content');
    const isOver = row['outcome'] !== null || this.#isInterrupted(row);
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
      asked: time('asked') ?? '',
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

  /** Its process has ended before it. */
  #isInterrupted(row: Row): boolean {
    return hasEnded(text(row, 'owner') ?? '', new Date(numberIn(row, 'asked')), UNKNOWN_OWNER_MS);
  }
}

const OPEN: Condition = { sql: 'outcome IS NULL', values: [] };

function conditionsOf({ ids, project, kind, isOpen, hasContent }: JournalFilter): readonly Condition[] {
  return [
    ...(ids === undefined
      ? []
      : [{ sql: 'id IN (SELECT value FROM json_each(?))', values: [JSON.stringify([...ids])] }]),
    ...(project === undefined ? [] : [{ sql: 'project = ?', values: [project] }]),
    ...(kind === undefined ? [] : [{ sql: 'kind = ?', values: [kind] }]),
    ...(isOpen === undefined ? [] : [OPEN]),
    ...(hasContent === undefined ? [] : [{ sql: 'content IS NOT NULL', values: [] }]),
  ];
}

function text(row: Row, name: string): string | undefined {
  const value = row[name];
  return typeof value === 'string' ? value : undefined;
}

function numberIn(row: Row | undefined, name: string): number {
  return Number(row?.[name]);
}

import type { Log } from '@deskside/core';
import { getOrAdd, type Scheduler, systemClock, uniqueId } from '@deskside/core/base';
import { firstCodePoints } from '@deskside/core/text';
import type { Connection } from '../database/connection.ts';
import { DeskDatabase } from '../database/desk-database.ts';
import { type ItemRow, READ_STATE, valuesOf, WRITE_ITEM, WRITE_STATE } from '../database/items.ts';
import { type DeskPlaces, deskPlaces } from '../database/places.ts';
import { thisOwner } from '../files/owner.ts';
import { changeKeep, DEFAULT_KEEP, deleteOld, keepIn } from './keep.ts';
import { follow, recordsIn } from './read.ts';
import type { ItemContent, ItemStart, Journal, JournalItem, StateChange } from './records.ts';
import { redact } from './redact.ts';

export interface JournalOptions {
  readonly places: DeskPlaces;
  readonly log: Log;
  readonly clock?: Scheduler;
}

/** How often old items are deleted while new ones come. */
const KEEP_INTERVAL_MS = 3_600_000;
/** Clients choose some of the texts. */
const MAX_NAME_CODE_POINTS = 256;

/** Opens the journal of this user, in the database that all programs of the user share. */
export function openUserJournal(log: Log): Journal {
  return openJournal({ places: deskPlaces(), log });
}

/**
 * Opens a server that writes to the journal of this user, for `open` of its program. The journal is closed after it.
 *
 * @param open opens the server itself
 */
export function withUserJournal<Settings, Opened extends AsyncDisposable>(
  open: (settings: Settings, surroundings: { readonly journal: Journal }) => Opened | Promise<Opened>,
): (settings: Settings, surroundings: { readonly log: Log }) => Promise<Opened> {
  return async (settings, { log }) => {
    const journal = openUserJournal(log);
    const opened = await open(settings, { journal });
    const close = opened[Symbol.asyncDispose].bind(opened);
    opened[Symbol.asyncDispose] = async () => {
      await close();
      await journal[Symbol.asyncDispose]();
    };
    return opened;
  };
}

/** Opens the journal of a user, in the desk database, which ends with it. Several processes may use it at once. */
export function openJournal({ places, log, clock = systemClock }: JournalOptions): Journal {
  const database = new DeskDatabase({ places, log, clock });
  const owner = thisOwner();
  const open = new Set<JournalItem>();
  /** The last known ones, and what has yet to be written. */
  const states = new Map<string, string | undefined>();
  const waitingChanges = new Map<string, StateChange[]>();
  let keptAtMs = -Infinity;

  const writeRow = (connection: Connection, row: ItemRow) => {
    const nowMs = clock.elapsedMs();
    if (nowMs - keptAtMs >= KEEP_INTERVAL_MS && deleteOld(connection, keepIn(connection), clock.now()))
      keptAtMs = nowMs;
    // Another program may have changed it meanwhile.
    const isTextLost = row.content !== undefined && keepIn(connection).texts === 0;
    connection.statement(WRITE_ITEM).run(...valuesOf(isTextLost ? { ...row, content: undefined } : row));
  };

  const begin = ({ id = uniqueId(), kind, content, ...who }: ItemStart): JournalItem => {
    const beganAtMs = clock.elapsedMs();
    const nowMs = () => clock.now().getTime();
    /** Changed in place: a call has one more every few microseconds. */
    const row: ItemRow = {
      id,
      kind,
      caller: cut(who.caller),
      user: cut(who.user),
      token: who.token && cut(who.token),
      project: who.project && cut(who.project),
      session: who.session && cut(who.session),
      mount: who.mount,
      tool: who.tool && cut(who.tool),
      transport: who.transport,
      display: who.display,
      asked: nowMs(),
      content: content && contentJson(content),
      owner,
    };
    let isWaiting = false;
    /** What was written is known to the database. Of a write that was given up, the next one has all. */
    const settle = (isStored: boolean) => {
      isWaiting = false;
      if (isStored) row.content = undefined;
      // Most calls have ended before their first write.
      if (row.ended !== undefined) open.delete(item);
    };
    const task = {
      run: (connection: Connection) => writeRow(connection, row),
      done: () => settle(true),
      lost: () => settle(false),
    };
    const write = (isUrgent = false) => {
      if (isWaiting && !isUrgent) return;
      isWaiting = true;
      open.add(item);
      database.write(task, isUrgent);
    };
    const item: JournalItem = {
      id,
      shown() {
        if (row.shown !== undefined) return;
        row.shown = nowMs();
        write();
      },
      seen(via) {
        if (row.seen !== undefined) return;
        row.seen = nowMs();
        row.via ??= via;
        write();
      },
      end(outcome, via, answer) {
        if (row.ended !== undefined) return;
        row.ended = nowMs();
        row.outcome = outcome;
        row.via ??= via;
        row.ms = Math.round(clock.elapsedMs() - beganAtMs);
        // What was written may have been deleted meanwhile.
        const unwritten = row.content === undefined ? {} : content;
        if (answer !== undefined) row.content = contentJson({ ...unwritten, answer });
        // What the person has answered is stored before the agent knows it.
        write(kind !== 'call' && kind !== 'notification');
      },
    };
    write();
    return item;
  };

  return {
    database,
    get problem() {
      return database.problem;
    },
    begin,
    records: (filter = {}) => recordsIn(database, filter),
    follow: (filter, signal) => follow(database, clock, filter, signal),
    state(name) {
      const found = database.tryRead((connection) => connection.statement(READ_STATE).get(name));
      if (found !== undefined) states.set(name, textOf(found.value?.['value']));
      const changes = waitingChanges.get(name) ?? [];
      return changes.reduce<string | undefined>((value, change) => change(value), states.get(name));
    },
    changeState(name, change) {
      const changes = getOrAdd(waitingChanges, name, () => []);
      changes.push(change);
      const run = (connection: Connection) => {
        const value = change(textOf(connection.statement(READ_STATE).get(name)?.['value']));
        connection.statement(WRITE_STATE).run(name, value);
      };
      const isOver = () => void changes.shift();
      database.write({ run, done: isOver, lost: isOver }, true);
    },
    async keep(change) {
      let held = { keep: DEFAULT_KEEP, isDone: false };
      while (!held.isDone) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const run = (connection: Connection) => {
          held = changeKeep(connection, change, clock.now());
        };
        database.write({ run, done: resolve, lost: resolve }, true);
        await promise;
      }
      return held.keep;
    },
    async [Symbol.asyncDispose]() {
      for (const item of open) item.end('interrupted');
      await database[Symbol.asyncDispose]();
    },
  };
}

function contentJson(content: ItemContent): string {
  const texts = Object.entries(content).filter((entry) => typeof entry[1] === 'string');
  return JSON.stringify(Object.fromEntries(texts.map(([name, text]) => [name, redact(String(text))])));
}

function cut(text: string): string {
  return firstCodePoints(text, MAX_NAME_CODE_POINTS);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

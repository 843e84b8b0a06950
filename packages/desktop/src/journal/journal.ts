import type { Log } from '@deskside/core';
import { getOrAdd, type Scheduler, systemClock, uniqueId } from '@deskside/core/base';
import { firstCodePoints } from '@deskside/core/text';
import type { Connection } from '../database/connection.ts';
import { DeskDatabase } from '../database/desk-database.ts';
import { type ItemRow, READ_STATE, valuesOf, WRITE_ITEM, WRITE_STATE } from '../database/items.ts';
import type { DeskPlaces } from '../database/places.ts';
import { thisOwner } from '../files/owner.ts';
import { changeKeep, DEFAULT_KEEP, deleteOld, type Keep, keepIn } from './keep.ts';
import { ItemReader } from './read.ts';
import type {
  ItemContent,
  ItemOutcome,
  ItemStart,
  Journal,
  JournalFilter,
  JournalItem,
  JournalRecord,
  StateChange,
  Via,
} from './records.ts';
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

/** Opens the journal of a user, in the desk database. Several processes may use it at once. */
export function openJournal({ places, log, clock = systemClock }: JournalOptions): Journal {
  return new DatabaseJournal(new DeskDatabase({ places, log, clock }), clock);
}

/** The database ends with the journal. */
class DatabaseJournal implements Journal {
  readonly database: DeskDatabase;
  readonly #clock: Scheduler;
  readonly #reader: ItemReader;
  readonly #open = new Set<Item>();
  /** The last known ones, and what has yet to be written. */
  readonly #states = new Map<string, string | undefined>();
  readonly #changes = new Map<string, StateChange[]>();
  readonly #owner = thisOwner();
  #keptAtMs = -Infinity;

  constructor(database: DeskDatabase, clock: Scheduler) {
    this.database = database;
    this.#clock = clock;
    this.#reader = new ItemReader(database, clock);
  }

  get problem(): string | undefined {
    return this.database.problem;
  }

  begin(start: ItemStart): JournalItem {
    return new Item(start, this.#owner, this.#clock, (item, isUrgent) => this.#write(item, isUrgent));
  }

  records(filter: JournalFilter = {}): Promise<readonly JournalRecord[]> {
    return this.#reader.records(filter);
  }

  follow(filter: JournalFilter, signal: AbortSignal): AsyncGenerator<readonly JournalRecord[]> {
    return this.#reader.follow(filter, signal);
  }

  state(name: string): string | undefined {
    const found = this.database.tryRead((connection) => connection.statement(READ_STATE).get(name));
    if (found !== undefined) this.#states.set(name, textOf(found.value?.['value']));
    const changes = this.#changes.get(name) ?? [];
    return changes.reduce<string | undefined>((value, change) => change(value), this.#states.get(name));
  }

  changeState(name: string, change: StateChange): void {
    const changes = getOrAdd(this.#changes, name, () => []);
    changes.push(change);
    const isOver = () => void changes.shift();
    const run = (connection: Connection) => {
      const value = change(textOf(connection.statement(READ_STATE).get(name)?.['value']));
      connection.statement(WRITE_STATE).run(name, value);
    };
    this.database.write({ run, done: isOver, lost: isOver }, true);
  }

  async keep(change: Partial<Keep>): Promise<Keep> {
    let held = { keep: DEFAULT_KEEP, isDone: false };
    while (!held.isDone) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const run = (connection: Connection) => {
        held = changeKeep(connection, change, this.#clock.now());
      };
      this.database.write({ run, done: resolve, lost: resolve }, true);
      await promise;
    }
    return held.keep;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const item of this.#open) item.end('interrupted');
    await this.database[Symbol.asyncDispose]();
  }

  #write(item: Item, isUrgent: boolean): void {
    this.#open.add(item);
    const settle = (isStored: boolean) => {
      item.settled(isStored);
      // Most calls have ended before their first write.
      if (item.hasEnded) this.#open.delete(item);
    };
    this.database.write(
      {
        run: (connection) => {
          this.#deleteOld(connection);
          const { row } = item;
          // Another program may have changed it meanwhile.
          const isTextLost = row.content !== null && keepIn(connection).texts === 0;
          connection.statement(WRITE_ITEM).run(...valuesOf(isTextLost ? { ...row, content: null } : row));
        },
        done: () => settle(true),
        lost: () => settle(false),
      },
      isUrgent,
    );
  }

  #deleteOld(connection: Connection): void {
    const nowMs = this.#clock.elapsedMs();
    if (nowMs - this.#keptAtMs < KEEP_INTERVAL_MS) return;
    if (deleteOld(connection, keepIn(connection), this.#clock.now())) this.#keptAtMs = nowMs;
  }
}

class Item implements JournalItem {
  /** Changed in place: a call has one more every few microseconds. */
  readonly row: { -readonly [Name in keyof ItemRow]: ItemRow[Name] };
  readonly #clock: Scheduler;
  readonly #beganAtMs: number;
  readonly #wait: (item: Item, isUrgent: boolean) => void;
  #isWaiting = false;

  /** @param wait called when there is something to write */
  constructor(
    start: ItemStart,
    owner: string,
    clock: Scheduler,
    wait: (item: Item, isUrgent: boolean) => void,
  ) {
    const { id = uniqueId(), kind, content, ...who } = start;
    this.#clock = clock;
    this.#beganAtMs = clock.elapsedMs();
    this.#wait = wait;
    this.row = {
      id,
      kind,
      caller: cut(who.caller) ?? '',
      user: cut(who.user) ?? '',
      token: cut(who.token),
      project: cut(who.project),
      session: cut(who.session),
      mount: who.mount ?? null,
      tool: cut(who.tool),
      transport: who.transport ?? null,
      asked: clock.now().getTime(),
      shown: null,
      seen: null,
      ended: null,
      outcome: null,
      via: null,
      display: who.display ?? null,
      ms: null,
      content: contentJson(content),
      owner,
    };
    this.#add({});
  }

  get id(): string {
    return this.row.id;
  }

  get hasEnded(): boolean {
    return this.row.ended !== null;
  }

  shown(): void {
    if (this.row.shown === null) this.#add({ shown: this.#nowMs });
  }

  seen(via: Via | null = null): void {
    if (this.row.seen === null) this.#add({ seen: this.#nowMs, via: this.row.via ?? via });
  }

  end(outcome: ItemOutcome, via?: Via, answer?: string): void {
    if (this.hasEnded) return;
    const ms = Math.round(this.#clock.elapsedMs() - this.#beganAtMs);
    const place = this.row.via ?? via ?? null;
    const said = answer === undefined ? {} : { content: contentJson({ answer }) };
    this.#add({ ended: this.#nowMs, outcome, via: place, ms, ...said });
  }

  /** What was written is known to the database. Of a write that was given up, the next one has all. */
  settled(isStored: boolean): void {
    this.#isWaiting = false;
    if (isStored) this.row.content = null;
  }

  get #nowMs(): number {
    return this.#clock.now().getTime();
  }

  #add(known: Partial<ItemRow>): void {
    const { content: before } = this.row;
    const { content: added } = known;
    const content =
      before && added ? JSON.stringify({ ...JSON.parse(before), ...JSON.parse(added) }) : (added ?? before);
    Object.assign(this.row, known);
    this.row.content = content;
    // What the person has answered is stored before the agent knows it.
    const isUrgent =
      known.outcome !== undefined && this.row.kind !== 'call' && this.row.kind !== 'notification';
    if (this.#isWaiting && !isUrgent) return;
    this.#isWaiting = true;
    this.#wait(this, isUrgent);
  }
}

function contentJson(content: ItemContent | undefined): string | null {
  if (content === undefined) return null;
  const texts = Object.entries(content).filter((entry) => typeof entry[1] === 'string');
  return JSON.stringify(Object.fromEntries(texts.map(([name, text]) => [name, redact(String(text))])));
}

function cut(text: string | undefined): string | null {
  return text === undefined ? null : firstCodePoints(text, MAX_NAME_CODE_POINTS);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

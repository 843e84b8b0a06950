import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '@deskside/core';
import type { Scheduler } from '@deskside/core/base';
import { messageOf } from '@deskside/core/errors';
import { Connection, damagedName, FileReplaced, moveAway } from './connection.ts';
import { takeOver } from './items.ts';
import { type DeskPlaces, FILE_NAME, fileSystemType, identityOf } from './places.ts';
import { failureOf } from './sqlite.ts';

/** Several writes are one group. */
const GROUP_MS = 10;
const GROUP_ROWS = 64;
/** More would hold the event loop up. */
const GROUPS_PER_TURN = 16;
/** Of writes that wait for another process. */
const MAX_WAITING = 20_000;
/** How often a busy database is asked again: a random time, so that processes do not meet again. */
const RETRY_MS = [5, 25] as const;
/** A process that ends waits at most this long: hosts end servers after two seconds. */
const ENDING_MS = 1500;
/** How often it is looked whether another process has written, while something waits for that. */
const LOOK_INTERVAL_MS = 250;

export interface WriteTask {
  /** Runs again if the group is repeated. */
  run(connection: Connection): void;
  /** It is stored. */
  done?(): void;
  /** It was given up. */
  lost?(): void;
}

export interface DeskDatabaseOptions {
  readonly places: DeskPlaces;
  /** Learns once where the database is, if not in its own place. */
  readonly log: Log;
  readonly clock: Scheduler;
  readonly fileSystemTypeOf?: ((folder: string) => number) | undefined;
}

/**
 * The desk database of a user, which several processes use at once. It opens at the first need, and no use of it waits
 * inside SQLite. A place that cannot be used is followed by the next one, at last by the memory of this process, so
 * no caller sees a failure. See docs/decisions/0068.
 */
export class DeskDatabase implements AsyncDisposable {
  readonly #options: DeskDatabaseOptions;
  readonly #clock: Scheduler;
  /** Undefined: the memory. */
  readonly #folders: readonly (string | undefined)[];
  #place = 0;
  #connection: Connection | undefined;
  /** True if the present connection has stored something. */
  #hasWorked = false;
  #moving: Promise<void> | undefined;
  #waiting: WriteTask[] = [];
  #groupRows = GROUP_ROWS;
  /** Writes that were given up. */
  #lost = 0;
  #isScheduled = false;
  #isOver = false;
  #cancelFlush = () => {};
  #reasons: string[] = [];
  #isSaid = false;
  readonly #listeners = new Set<() => void>();
  #cancelLook = () => {};
  #seenVersion: unknown;
  /** How often another file took the place of the one before. */
  generation = 0;

  constructor(options: DeskDatabaseOptions) {
    this.#options = options;
    this.#clock = options.clock;
    const { state, runtime } = options.places;
    this.#folders = [...(state === undefined ? [] : [state]), ...runtime, undefined];
    if (state === undefined) this.#reasons.push('This user has no home folder.');
  }

  /** One sentence for people if the database is not in its own place, or was damaged. Known after the first use. */
  get problem(): string | undefined {
    const { state } = this.#options.places;
    const reason = this.#reasons.join(' ');
    const folder = this.#folders[this.#place];
    if (reason !== '')
      return folder === undefined
        ? `What happens is known to this process only: ${reason}`
        : `What happens is stored in ${join(folder, FILE_NAME)} until the machine restarts: ${reason}`;
    const damaged = state === undefined ? '' : damagedName(join(state, FILE_NAME));
    return existsSync(damaged)
      ? `The desk database was damaged, and a new one was begun. The damaged one is ${damaged}. Delete it when you do not need it.`
      : undefined;
  }

  /** True if a program of this user has used it. */
  get exists(): boolean {
    return this.#folders.some((folder) => folder !== undefined && existsSync(join(folder, FILE_NAME)));
  }

  /** True if what is stored ends with this process. */
  get isTemporary(): boolean {
    return this.#folders[this.#place] === undefined;
  }

  /** @param isUrgent at once, if no other process writes now */
  write(task: WriteTask, isUrgent = false): void {
    if (this.#isOver) return;
    this.#waiting.push(task);
    const excess = this.#waiting.length - MAX_WAITING;
    if (excess > 0) {
      for (const task of this.#waiting.splice(0, excess)) task.lost?.();
      if (this.#lost === 0) this.#options.log.warn('items are lost: another process holds the desk database');
      this.#lost += excess;
    }
    if (isUrgent || this.#waiting.length === GROUP_ROWS) this.#flush();
    else this.#flushAfter(GROUP_MS);
  }

  /** @returns undefined if it is not possible now */
  tryRead<Value>(read: (connection: Connection) => Value): { readonly value: Value } | undefined {
    for (;;) {
      this.#flush();
      const connection = this.#ready();
      if (connection === undefined) return undefined;
      try {
        return { value: read(connection) };
      } catch (error) {
        if (!this.#hasFailed(error)) return undefined;
      }
    }
  }

  /** Reads what is stored, and what this process has written. */
  async read<Value>(read: (connection: Connection) => Value): Promise<Value> {
    for (;;) {
      const result = this.tryRead(read);
      if (result !== undefined) return result.value;
      await this.#pause();
    }
  }

  /** Calls back after each change, whatever process made it. @returns a function that ends it */
  watch(listener: () => void): () => void {
    if (this.#listeners.size === 0) this.#look();
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#cancelLook();
    };
  }

  /** What still waits for another process goes to the next place, from where the next program takes it over. */
  async [Symbol.asyncDispose](): Promise<void> {
    const endMs = this.#clock.elapsedMs() + ENDING_MS;
    for (this.#flush(); this.#waiting.length > 0; this.#flush()) {
      if (this.#moving === undefined && this.#clock.elapsedMs() > endMs) this.#goOn('Another process wrote.');
      else await this.#pause();
    }
    this.#isOver = true;
    this.#cancelFlush();
    this.#cancelLook();
    this.#close();
  }

  #flushAfter(delayMs: number): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#cancelFlush = this.#clock.after(delayMs, () => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#isScheduled) this.#cancelFlush();
    this.#isScheduled = false;
    let hasWritten = false;
    for (let groups = 0; this.#waiting.length > 0; groups += 1) {
      const connection = groups < GROUPS_PER_TURN ? this.#ready() : undefined;
      if (connection === undefined) {
        this.#flushAfter(groups < GROUPS_PER_TURN ? randomInt(...RETRY_MS) : 0);
        break;
      }
      const group = this.#waiting.slice(0, this.#groupRows);
      try {
        connection.transaction(() => {
          for (const task of group) task.run(connection);
        });
      } catch (error) {
        if (this.#hasFailed(error, group)) continue;
        this.#flushAfter(randomInt(...RETRY_MS));
        break;
      }
      this.#hasWorked = true;
      hasWritten = true;
      this.#waiting.splice(0, group.length);
      this.#groupRows = GROUP_ROWS;
      if (this.#lost > 0) this.#options.log.warn('items were lost', { count: this.#lost });
      this.#lost = 0;
      for (const task of group) task.done?.();
    }
    if (hasWritten) this.#tell();
  }

  /** @returns undefined if the database cannot be used now: it is to be asked again */
  #ready(): Connection | undefined {
    if (this.#moving !== undefined) return undefined;
    if (this.#connection?.isCurrent === false) this.#goBack();
    for (;;) {
      if (this.#connection !== undefined) return this.#connection;
      const identity = this.#identity();
      try {
        this.#connection = this.#open(this.#folders[this.#place]);
        this.generation += 1;
        this.#say();
      } catch (error) {
        if (!this.#hasFailed(error, [], identity)) return undefined;
      }
    }
  }

  /**
   * @param identity of the file
   * @returns true if the next attempt can begin at once
   */
  #hasFailed(error: unknown, group: readonly WriteTask[] = [], identity = this.#identity()): boolean {
    if (error instanceof FileReplaced) {
      this.#goBack();
      return true;
    }
    const folder = this.#folders[this.#place];
    const failure = failureOf(error);
    if (folder === undefined && failure !== 'defect') throw error;
    switch (failure) {
      case 'busy':
        return false;
      case 'damaged':
        this.#close();
        this.#moving = this.#moveAway(join(folder ?? '', FILE_NAME), identity);
        return false;
      case 'defect':
        if (group.length === 0) throw error;
        // One after the other, so that only the wrong one is lost.
        if (group.length > 1) this.#groupRows = 1;
        else {
          this.#waiting.shift()?.lost?.();
          this.#options.log.error('an item is not recorded', { error: messageOf(error) });
        }
        return true;
      case 'place': {
        const isSecond = !this.#hasWorked;
        this.#close();
        // What has worked may only have been moved.
        if (isSecond) this.#goOn(`${folder}: ${messageOf(error)}.`);
        return true;
      }
    }
  }

  async #moveAway(file: string, identity: string | undefined): Promise<void> {
    try {
      await moveAway(file, identity);
    } catch (error) {
      this.#goOn(messageOf(error));
    } finally {
      this.#moving = undefined;
    }
  }

  /** To the next place. */
  #goOn(reason: string): void {
    this.#close();
    this.#reasons.push(reason);
    this.#place = Math.min(this.#place + 1, this.#folders.length - 1);
  }

  /** To the first place, which may be usable again. */
  #goBack(): void {
    this.#close();
    this.#place = 0;
    this.#reasons = this.#options.places.state === undefined ? this.#reasons.slice(0, 1) : [];
  }

  #say(): void {
    const { problem } = this;
    if (problem !== undefined && !this.#isSaid) this.#options.log.warn(problem);
    this.#isSaid = problem !== undefined;
  }

  #open(folder: string | undefined): Connection {
    const typeOf = this.#options.fileSystemTypeOf ?? fileSystemType;
    const { state, runtime } = this.#options.places;
    if (folder === undefined) return new Connection(folder);
    if (folder !== state) return new Connection(folder, typeOf, state !== undefined);
    const opened = new Connection(folder, typeOf);
    try {
      // What was stored there while this place could not be used.
      for (const other of runtime.filter((each) => existsSync(join(each, FILE_NAME)))) {
        using from = openOther(other, typeOf);
        if (from !== undefined) takeOver(from, opened);
      }
      return opened;
    } catch (error) {
      opened[Symbol.dispose]();
      throw error;
    }
  }

  #identity(): string | undefined {
    const folder = this.#folders[this.#place];
    return folder && identityOf(join(folder, FILE_NAME));
  }

  #close(): void {
    this.#connection?.[Symbol.dispose]();
    this.#connection = undefined;
    this.#hasWorked = false;
    this.#seenVersion = undefined;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #look(): void {
    const { generation } = this;
    const seen = this.#seenVersion;
    const found = this.tryRead((connection) => connection.statement('PRAGMA data_version').get());
    if (found !== undefined) this.#seenVersion = found.value?.['data_version'];
    if (found !== undefined && (generation !== this.generation || seen !== this.#seenVersion)) this.#tell();
    this.#cancelLook = this.#clock.after(LOOK_INTERVAL_MS, () => this.#look());
  }

  async #pause(): Promise<void> {
    await this.#moving;
    await new Promise<void>((resolve) => {
      this.#clock.after(randomInt(...RETRY_MS), resolve);
    });
  }
}

/** @returns undefined if it cannot be opened */
function openOther(folder: string, typeOf: (folder: string) => number): Connection | undefined {
  try {
    return new Connection(folder, typeOf);
  } catch (error) {
    if (failureOf(error) === 'busy') throw error;
    return undefined;
  }
}

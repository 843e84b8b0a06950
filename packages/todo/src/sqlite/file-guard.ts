import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { StoreUnavailable } from '../store/task-store.ts';

/** Of a server without calls, while others work. */
const LOOK_INTERVAL_MS = 5000;

// Of the index of the log: https://sqlite.org/walformat.html. The locks between the two parts are not read.
const INDEX_HEADER_BYTES = 120;
const LOG_SALTS_OFFSET = 32;
const MOVED_FRAMES_OFFSET = 96;
const MOVING_FRAMES_OFFSET = 128;

interface FileState {
  /** Each must stay the file that it was. */
  readonly identities: string;
  readonly changedAtNs: bigint | undefined;
  /** What SQLite, in any process, has moved from the log into the file: nothing else may change that. */
  readonly moved: string;
  /** What a process moves now, or moved when it was killed. */
  readonly moving: string;
}

/**
 * Notices that somebody replaces, overwrites or deletes the files of an open database: what SQLite then accepts is in no file,
 * or overwrites another one.
 */
export class FileGuard {
  readonly #file: string;
  readonly #client: Database.Database;
  /** The file as it was opened, its write-ahead log, and the index of the log: SQLite follows links. */
  readonly #paths: readonly [file: string, log: string, index: string];
  /** Closing a file ends all locks that this process has on it. Undefined in memory. */
  readonly #index: number | undefined;
  readonly #indexIdentity: string;
  #state: FileState;
  readonly #looking: NodeJS.Timeout;

  constructor(file: string, client: Database.Database) {
    this.#file = file;
    this.#client = client;
    const real = client.memory ? file : realpathSync(file);
    this.#paths = [file, `${real}-wal`, `${real}-shm`];
    // SQLite creates the log with the first read.
    client.prepare('SELECT count(*) FROM sqlite_schema').get();
    this.#indexIdentity = statOf(this.#paths[2])?.identity ?? '';
    this.#index = client.memory ? undefined : openIndex(this.#paths[2], this.#indexIdentity);
    this.#state = this.#read(this.#readIndex());
    this.#looking = setInterval(() => this.#isIntact(), LOOK_INTERVAL_MS).unref();
  }

  /**
   * Call it before and after each change. The log begins again when all of it was moved: what was seen before says nothing about later
   * changes.
   *
   * @throws StoreUnavailable
   */
  check(): void {
    if (!this.#isIntact()) throw changed(this.#file);
  }

  /** Whether only SQLite has changed the files since the last look. */
  #isIntact(): boolean {
    const { identities, changedAtNs, moved } = this.#state;
    const state = this.#read(this.#state);
    const isMoving = !state.moved.startsWith(state.moving);
    const isSame = state.changedAtNs === changedAtNs || state.moved !== moved || isMoving;
    if (state.identities !== identities || !isSame) return false;
    this.#state = state;
    return true;
  }

  /** Closing the last connection moves the log into the file, which must not happen to a file of somebody else. */
  close(): void {
    clearInterval(this.#looking);
    const isOwn = statOf(this.#file)?.changedAtNs === this.#state.changedAtNs || this.#isIntact();
    // With a second connection, which only reads, the first one is not the last, and this one moves nothing.
    const reader = isOwn ? undefined : readerOf(this.#file);
    this.#client.close();
    reader?.close();
    if (this.#index === undefined) return;
    if (existsSync(this.#paths[2])) leftOpen.set(this.#indexIdentity, this.#index);
    else closeSync(this.#index);
  }

  /** @param before an earlier look into the index: if it is the same as after a look at the files, they are looked at once */
  #read(before: Pick<FileState, 'moved' | 'moving'>): FileState {
    for (;;) {
      const stats = this.#paths.map(statOf);
      const { moved, moving } = this.#readIndex();
      if (moved === before.moved && moving === before.moving)
        return {
          identities: stats.map((stat) => stat?.identity).join(),
          changedAtNs: stats[0]?.changedAtNs,
          moved,
          moving,
        };
      // Another process has begun or ended to move pages meanwhile.
      before = { moved, moving };
    }
  }

  /** Numbers of frames, and the salts of the log, which SQLite renews when it begins again. */
  #readIndex() {
    const header = this.#bytes(0, INDEX_HEADER_BYTES);
    const moved = header.toString('hex', MOVED_FRAMES_OFFSET, MOVED_FRAMES_OFFSET + 4);
    const salts = header.toString('hex', LOG_SALTS_OFFSET, LOG_SALTS_OFFSET + 8);
    return { moved: `${moved} ${salts}`, moving: this.#bytes(MOVING_FRAMES_OFFSET, 4).toString('hex') };
  }

  #bytes(offset: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    if (this.#index !== undefined) readSync(this.#index, bytes, 0, length, offset);
    return bytes;
  }
}

/** Descriptors of files that another connection uses. Their identities are not used again meanwhile. */
const leftOpen = new Map<string, number>();

function openIndex(path: string, identity: string): number {
  const known = leftOpen.get(identity);
  leftOpen.delete(identity);
  return known ?? openSync(path, 'r');
}

function readerOf(file: string): Database.Database | undefined {
  let reader: Database.Database | undefined;
  try {
    reader = new Database(file, { readonly: true });
    reader.pragma('schema_version');
  } catch {
    // Without a file there is nothing that the log could damage.
  }
  return reader;
}

function statOf(path: string) {
  try {
    const { dev, ino, mtimeNs } = statSync(path, { bigint: true });
    return { identity: `${dev}:${ino}`, changedAtNs: mtimeNs };
  } catch {
    return undefined;
  }
}

function changed(file: string): StoreUnavailable {
  const reason = `${file}, or its -wal or -shm, was deleted, replaced or overwritten while this server runs. Stop all servers that use it. If you have restored a backup, delete ${file}-wal and ${file}-shm, which belong to the old file, and copy the backup again. Then start them again`;
  return new StoreUnavailable(reason, {
    advice: 'to restart the todo server: its database file was deleted, replaced or overwritten.',
  });
}

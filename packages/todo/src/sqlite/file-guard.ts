import { closeSync, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { StoreUnavailable } from '../store/task-store.ts';

/** Of a server without calls, while others work. */
const LOOK_INTERVAL_MS = 5000;

// https://sqlite.org/walformat.html
const LOG_SALTS = { offset: 16, bytes: 8 };
const MOVED_FRAMES_OFFSET = 96;
const MOVING_FRAMES_OFFSET = 128;

interface FileState {
  /** Each must stay the file that it was. */
  readonly identities: readonly (string | undefined)[];
  readonly changedAtNs: bigint | undefined;
  readonly logChangedAtNs: bigint | undefined;
  /** Differs if SQLite, in any process, has moved pages from the log into the file: nothing else may change that. */
  readonly moved: string;
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
  #state: FileState;
  #index: number | undefined;
  readonly #looking = setInterval(() => this.followLog(), LOOK_INTERVAL_MS).unref();

  constructor(file: string, client: Database.Database) {
    this.#file = file;
    this.#client = client;
    const real = client.memory ? file : realpathSync(file);
    this.#paths = [file, `${real}-wal`, `${real}-shm`];
    // SQLite creates the log with the first read.
    client.prepare('SELECT count(*) FROM sqlite_schema').get();
    this.#state = this.#read();
  }

  /** @throws StoreUnavailable */
  check(): void {
    if (this.#client.memory) return;
    if (this.followLog()) return;
    const { identities, moved } = this.#state;
    let state = this.#read(moved);
    // A process that was moving pages at this look may have finished since: the next look knows.
    if (state.moved === moved && !this.#isMoving()) state = this.#read(moved);
    const isSame = String(state.identities) === String(identities);
    if (!isSame || (state.moved === moved && !this.#isMoving())) throw changed(this.#file);
    this.#state = state;
  }

  /**
   * The log begins again when all of it was moved: what was seen before says nothing about later changes. Call it after each change.
   *
   * @returns whether only the log has changed
   */
  followLog(): boolean {
    const [main, log, index] = this.#paths.map(statOf);
    const { identities, changedAtNs, logChangedAtNs } = this.#state;
    const isSame = [main, log, index].every((stat, part) => stat?.identity === identities[part]);
    if (!isSame || main?.changedAtNs !== changedAtNs) return false;
    if (log?.changedAtNs !== logChangedAtNs) this.#state = this.#read(this.#state.moved);
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
  }

  #isIntact(): boolean {
    try {
      this.check();
      return true;
    } catch {
      return false;
    }
  }

  /** @param moved what is known of before: if nothing was moved since, the files are looked at once */
  #read(moved = ''): FileState {
    for (;;) {
      const stats = this.#paths.map(statOf);
      const after = this.#moved();
      if (after === moved)
        return {
          identities: stats.map((stat) => stat?.identity),
          changedAtNs: stats[0]?.changedAtNs,
          logChangedAtNs: stats[1]?.changedAtNs,
          moved,
        };
      // Another process has moved pages meanwhile.
      moved = after;
    }
  }

  #moved(): string {
    // `busy`, frames in the log, frames that were moved.
    const frames = this.#client.pragma('wal_checkpoint(NOOP)');
    return `${JSON.stringify(frames).replace(/.*,/, '')} ${logOf(this.#paths[1])}`;
  }

  /** Whether a process moves pages now, or was killed meanwhile. */
  #isMoving(): boolean {
    // It is never closed: closing a file ends all locks that this process has on it.
    this.#index ??= openSync(this.#paths[2], 'r');
    const index = Buffer.alloc(MOVING_FRAMES_OFFSET + 4);
    readSync(this.#index, index, 0, index.length, 0);
    return !index
      .subarray(MOVED_FRAMES_OFFSET, MOVED_FRAMES_OFFSET + 4)
      .equals(index.subarray(MOVING_FRAMES_OFFSET));
  }
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

/** SQLite gives the log new salts when it begins again. An empty log has none. */
function logOf(path: string): string {
  let log: number | undefined;
  try {
    log = openSync(path, 'r');
    const salts = Buffer.alloc(LOG_SALTS.bytes);
    const read = readSync(log, salts, 0, LOG_SALTS.bytes, LOG_SALTS.offset);
    return read > 0 ? salts.toString('hex') : String(fstatSync(log, { bigint: true }).mtimeNs);
  } catch {
    return '';
  } finally {
    if (log !== undefined) closeSync(log);
  }
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

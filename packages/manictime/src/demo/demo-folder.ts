import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@deskside/core/base';
import {
  DAY,
  formatDate,
  formatDateTime,
  localTime,
  MINUTE,
  startOfDay,
  type WallTime,
} from '@deskside/core/dates';
import Database from 'better-sqlite3';
import { DATABASE_NAME, noTemporaryFolder } from '../database/file.ts';
import { stemsOf } from '../screenshots/shot.ts';
import { REPORTS, TABLES } from './tables.ts';
import { DATA, joined, readTable, readTurns, type Span, type Turn } from './weeks.ts';

/** ManicTime deletes older ones, too. */
const SCREENSHOT_DAYS = 3;
const SCREENSHOT_STEP = 5 * MINUTE;

/** Three weeks of an invented person, in a temporary folder. They end now, and go on while a server runs. */
export class DemoFolder implements AsyncDisposable {
  readonly #clock: Pick<Clock, 'now'>;
  #path: string | undefined;
  #until: WallTime | undefined;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** @throws UserError UNAVAILABLE */
  async path(): Promise<string> {
    const now = localTime(Math.floor(this.#clock.now().getTime() / 1000));
    try {
      this.#path ??= await mkdtemp(join(tmpdir(), 'deskside-manictime-demo-'));
      if (this.#until === undefined || now - this.#until >= MINUTE) {
        const turns = await readTurns(now);
        await writeScreenshots(this.#path, turns, this.#until);
        writeDatabase(this.#path, turns, await readTable('groups'), this.#until);
        this.#until = now;
      }
      return this.#path;
    } catch (error) {
      throw noTemporaryFolder('The demo data could not be written.', error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#path !== undefined) await rm(this.#path, { recursive: true, force: true });
  }
}

/** UTC seconds. */
function instantOf(local: WallTime): number {
  return Date.parse(formatDateTime(local)) / 1000;
}

/** @param since the rest is written */
async function writeScreenshots(folder: string, turns: readonly Turn[], since = 0): Promise<void> {
  const first = startOfDay(turns.at(-1)?.until ?? 0) - (SCREENSHOT_DAYS - 1) * DAY;
  const copies: Promise<void>[] = [];
  for (const { at, until, picture } of turns) {
    if (picture === '' || at < first) continue;
    const target = join(folder, 'Screenshots', formatDate(at));
    await mkdir(target, { recursive: true });
    for (let local = at + 5; local < until; local += SCREENSHOT_STEP) {
      if (local < since) continue;
      const offset = (local - instantOf(local)) / MINUTE;
      const sequence = Math.floor(local / MINUTE);
      const [stem = ''] = stemsOf({ local, offset, width: 1024, height: 576, sequence, monitor: 0 });
      for (const type of ['jpg', 'thumbnail.jpg'])
        copies.push(copyFile(new URL(`pictures/${picture}.${type}`, DATA), join(target, `${stem}.${type}`)));
    }
  }
  await Promise.all(copies);
}

/** @param since what ends later is written. A row that goes on replaces its beginning */
function writeDatabase(
  folder: string,
  turns: readonly Turn[],
  groups: readonly (readonly string[])[],
  since?: WallTime,
): void {
  const database = new Database(join(folder, DATABASE_NAME));
  try {
    database.pragma('journal_mode = WAL');
    database.transaction(() => {
      if (since === undefined) writeGroups(database, groups);
      writeActivities(database, turns, since);
    })();
  } finally {
    database.close();
  }
}

function writeGroups(database: Database.Database, groups: readonly (readonly string[])[]): void {
  database.exec(TABLES);
  const insert = database.prepare(
    `INSERT INTO Ar_Group (ReportId, Name, Key, Color, GroupType)
       SELECT ReportId, ?, ?, ?, ? FROM Ar_Timeline WHERE SchemaName = 'ManicTime/' || ?`,
  );
  for (const [timeline, name, key, color, type = null] of groups)
    insert.run(name, key, color, type, timeline);
}

function isActive({ title }: Turn): boolean {
  return title !== '';
}

function writeActivities(database: Database.Database, turns: readonly Turn[], since = 0): void {
  const insert = database.prepare(
    `INSERT OR REPLACE INTO Ar_Activity
       SELECT @report, @id, @name, GroupId, GroupId, @related, @start, @end, @startUtc, @endUtc
         FROM (SELECT 1) LEFT JOIN Ar_Group ON ReportId = @report AND Ar_Group.Name = @group`,
  );
  const write = (
    timeline: keyof typeof REPORTS,
    { at, until }: Span,
    name: string,
    group: string | null,
    related: WallTime | null = null,
  ) => {
    if (until < since) return;
    const times = [at, until, instantOf(at), instantOf(until)];
    const [start, end, startUtc, endUtc] = times.map((time) => formatDateTime(time).replace('T', ' '));
    // Only one row of a timeline starts in a second.
    insert.run({ report: REPORTS[timeline], id: at, name, group, related, start, end, startUtc, endUtc });
  };
  for (const turn of turns.filter(isActive)) {
    write('Applications', turn, turn.title, turn.application);
    if (turn.document !== '') write('Documents', turn, turn.document, turn.group, turn.at);
  }
  for (const state of joined(turns, (turn) => (isActive(turn) ? 'Active' : turn.application)))
    write('ComputerUsage', state, state.name, state.name);
  for (const tag of joined(turns, ({ tag }) => tag)) write('Tags', tag, tag.name, null);
}

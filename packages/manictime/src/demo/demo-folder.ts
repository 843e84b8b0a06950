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
import { stemOf } from '../screenshots/shot.ts';

/** It has this position relative to the sources, to built files and to bundles. */
const DATA = new URL('../demo/data/', import.meta.url);

const DAYS = 21;
/** ManicTime deletes older ones, too. */
const SCREENSHOT_DAYS = 3;
const SCREENSHOT_STEP = 5 * MINUTE;

/**
 * The rows of `weeks.sqlite`, which have two weeks in seconds from a Monday, again and again from a day until now.
 * Its tables of ManicTime's own totals are empty: this server needs them for days without activities only.
 */
const MOVED = `
  WITH RECURSIVE weeks(monday) AS
    -- 1970-01-05 was a Monday.
    (SELECT CAST(@now AS INTEGER) - (CAST(@now AS INTEGER) - 4 * ${DAY}) % (14 * ${DAY})
      UNION ALL SELECT monday - 14 * ${DAY} FROM weeks WHERE monday > @from),
  moved AS (SELECT *, monday + Start AS at, min(monday + Finish, CAST(@now AS INTEGER)) AS until
    FROM Demo_Row, weeks WHERE at >= @from AND at < @now)`;

/** Only one row of a timeline starts in a second. */
const ROWS = `${MOVED}
  INSERT INTO Ar_Activity SELECT ReportId, at, Name, GroupId, GroupId, iif(IsRelated, at, NULL),
    datetime(at, 'unixepoch'), datetime(until, 'unixepoch'), datetime(at, 'unixepoch', 'utc'),
    datetime(until, 'unixepoch', 'utc') FROM moved`;

/** A time in which one window has the keyboard, and what a screenshot of it shows. */
interface Turn {
  readonly at: WallTime;
  readonly until: WallTime;
  readonly picture: string;
}

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
      this.#path ??= await makeFolder();
      if (this.#until === undefined || now - this.#until >= MINUTE) {
        await writeScreenshots(this.#path, moveRows(this.#path, now), this.#until);
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

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'deskside-manictime-demo-'));
  await copyFile(new URL('weeks.sqlite', DATA), join(folder, DATABASE_NAME));
  return folder;
}

/** @returns the windows that screenshots show */
function moveRows(folder: string, now: WallTime): Turn[] {
  const database = new Database(join(folder, DATABASE_NAME));
  const daysAgo = (days: number) => startOfDay(now) - (days - 1) * DAY;
  try {
    database.pragma('journal_mode = WAL');
    database.transaction(() => {
      database.exec('DELETE FROM Ar_Activity');
      database.prepare(ROWS).run({ now, from: daysAgo(DAYS) });
    })();
    return database
      .prepare<[object], Turn>(`${MOVED} SELECT at, until, Picture AS picture FROM moved WHERE Picture <> ''`)
      .all({ now, from: daysAgo(SCREENSHOT_DAYS) });
  } finally {
    database.close();
  }
}

/** @param since the rest is written */
async function writeScreenshots(folder: string, turns: readonly Turn[], since = 0): Promise<void> {
  for (const { at, until, picture } of turns) {
    const target = join(folder, 'Screenshots', formatDate(at));
    await mkdir(target, { recursive: true });
    for (let local = at + 5; local < until; local += SCREENSHOT_STEP) {
      if (local < since) continue;
      const offset = (local - Date.parse(formatDateTime(local)) / 1000) / MINUTE;
      const sequence = Math.floor(local / MINUTE);
      const stem = stemOf({ local, offset, width: 1024, height: 576, sequence, monitor: 0 });
      for (const type of ['jpg', 'thumbnail.jpg']) {
        await copyFile(new URL(`pictures/${picture}.${type}`, DATA), join(target, `${stem}.${type}`));
      }
    }
  }
}

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { makeCatalog, Random } from './catalog.ts';
import { type Day, makeDay, offsetAt, type Span, stamp, utcMidnight } from './day.ts';
import { type DataOptions, PROFILES } from './options.ts';
import {
  FIRST_DEVICE,
  Reporter,
  type Reports,
  schemaOf,
  SECOND_DEVICE,
  stateGroup,
  writeGroups,
  writeTimelines,
} from './tables.ts';

const DAY = 86_400;

/** Writes `ManicTimeReports.db`. */
export function writeDatabase(options: DataOptions): string {
  const {
    folder,
    profile: profileName,
    days,
    until,
    seed,
    layout = 'current',
    startIndex = true,
    growingIds = true,
  } = options;
  const profile = PROFILES[profileName];
  const file = join(folder, 'ManicTimeReports.db');
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = OFF');
  database.exec(schemaOf(layout, startIndex));
  const reporter = new Reporter(database, layout, growingIds ? counting() : scattered());
  const catalog = makeCatalog(profile.applications, profile.sites, new Random(seed));
  const step = layout === 'current' ? 3600 : DAY;
  const sums = { Application: new Sums(step), WebSite: new Sums(step), Document: new Sums(step) };
  const devices = [FIRST_DEVICE, ...(options.secondDevice === true ? [SECOND_DEVICE] : [])];
  const last = utcMidnight(until);

  database.transaction(() => {
    for (const [index, reports] of devices.entries()) {
      writeTimelines(database, reports, index + 1);
      writeGroups(database, layout, catalog, reports);
      const random = new Random(seed + 1 + index);
      const first = last - (days - 1) * DAY;
      let before = first - offsetAt(first);
      for (let midnight = first; midnight <= last; midnight += DAY) {
        if (isHoliday(midnight)) continue;
        const day = makeDay(midnight, before, catalog, profile, random);
        writeDay(day, reports);
        before = day.states.at(-1)?.end ?? before;
        flushSums();
      }
      writeSummary(database, reports);
    }
  })();
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  return file;

  function writeDay({ states, applications, tags }: Day, reports: Reports): void {
    for (const { state, ...span } of states) {
      reporter.write({ reportId: reports.usage, name: state, groupId: stateGroup(state), ...span });
    }
    const active = states.filter(({ state }) => state === 'Active');
    let reached = Number.NEGATIVE_INFINITY;
    for (const { start, end, thing, title, document } of applications) {
      const id = reporter.write({
        reportId: reports.applications,
        name: title,
        groupId: thing.id,
        commonId: thing.id,
        start,
        end,
      });
      // A second that two windows cover is counted once.
      const parts = within({ start: Math.max(start, reached), end }, active);
      reached = Math.max(reached, end);
      for (const part of parts) sums.Application.add(thing.id, part);
      if (document === undefined) continue;
      const { thing: content, name, ...span } = document;
      reporter.write({
        reportId: reports.documents,
        name,
        groupId: content.id,
        commonId: content.id,
        relatedId: id,
        ...span,
      });
      for (const part of parts) {
        if (content.type === 'ManicTime/WebSites') sums.WebSite.add(content.id, part);
        if (content.type === 'ManicTime/Files') sums.Document.add(content.id, part);
      }
    }
    for (const { names, ...span } of tags)
      reporter.write({ reportId: reports.tags, name: names.join(', '), ...span });
  }

  function flushSums(): void {
    const [key, time] = layout === 'current' ? ['CommonId', 'Hour'] : ['CommonGroupId', 'Day'];
    for (const [subject, sum] of Object.entries(sums)) {
      const insert = database.prepare(
        `INSERT INTO Ar_${subject}ByDay (${time}, ${key}, TotalSeconds) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET TotalSeconds = TotalSeconds + excluded.TotalSeconds`,
      );
      for (const row of sum.drain()) insert.run(...row);
    }
  }
}

function within({ start, end }: Span, spans: readonly Span[]): Span[] {
  return spans
    .map((span) => ({ start: Math.max(start, span.start), end: Math.min(end, span.end) }))
    .filter((part) => part.end > part.start);
}

function writeSummary(database: Database.Database, reports: Reports): void {
  for (const reportId of Object.values(reports)) {
    database
      .prepare(
        `INSERT INTO Ar_TimelineSummary SELECT ?, min(StartLocalTime), max(EndLocalTime), min(StartLocalTime), max(EndLocalTime)
           FROM Ar_Activity WHERE ReportId = ?`,
      )
      .run(reportId, reportId);
  }
}

/** Three weeks in August with the computer off. */
function isHoliday(midnight: number): boolean {
  const date = stamp(midnight).slice(5, 10);
  return date >= '08-01' && date <= '08-21';
}

function counting(): (reportId: number) => number {
  const last = new Map<number, number>();
  return (reportId) => {
    const id = (last.get(reportId) ?? 1000) + 1;
    last.set(reportId, id);
    return id;
  };
}

/** Unique ids that do not grow with time. */
function scattered(): (reportId: number) => number {
  const next = counting();
  return (reportId) => (next(reportId) * 2_654_435_761) % 4_294_967_296;
}

const HOUR = 3600;

/** ManicTime's own totals: seconds by local hour (or day) and shared group. */
class Sums {
  readonly #step: number;
  readonly #seconds = new Map<number, Map<number, number>>();

  /** @param step seconds per row: an hour or a day */
  constructor(step: number) {
    this.#step = step;
  }

  add(commonId: number, { start, end }: Span): void {
    for (let from = start; from < end;) {
      const local = from + offsetAt(from);
      const to = Math.min(end, from + HOUR - (((local % HOUR) + HOUR) % HOUR));
      const period = Math.floor(local / this.#step) * this.#step;
      const sums = this.#seconds.get(period) ?? new Map<number, number>();
      this.#seconds.set(period, sums.set(commonId, (sums.get(commonId) ?? 0) + to - from));
      from = to;
    }
  }

  /** Yields all rows and removes them. */
  *drain(): Generator<readonly [time: string, commonId: number, seconds: number]> {
    for (const [period, sums] of this.#seconds) {
      const time = this.#step === HOUR ? stamp(period) : stamp(period).slice(0, 10);
      for (const [commonId, seconds] of sums) yield [time, commonId, seconds];
    }
    this.#seconds.clear();
  }
}

import { DAY, HOUR, parseWallTime } from '@deskside/core/dates';
import { type Catalog, makeCatalog, Random, type Thing } from './catalog.ts';
import { type Day, makeDay, offsetAt, type Span, stamp, type State } from './day.ts';
import { type DataOptions, PROFILES } from './options.ts';
import { DatabaseWriter, type StoredRow, type SumSubject } from './writer.ts';

/** Report ids are arbitrary, as in real databases. */
const REPORTS = { usage: 9, applications: 3, documents: 4, tags: 7 };
/** Id of the computer. */
const ENVIRONMENT = 1;

/** In the order of their group ids, with ManicTime's colors. */
const STATES: readonly (readonly [state: State, color: string])[] = [
  ['Active', '00aa00'],
  ['Away', 'e0a030'],
  ['Session lock', '8a8f98'],
  ['Power off', '5a5f66'],
];

/** Writes `ManicTimeReports.db`. */
export function writeDatabase(options: DataOptions): string {
  const { folder, profile: profileName, days, until, seed, layout = 'current' } = options;
  const { startIndex = true } = options;
  const profile = PROFILES[profileName];
  const index = startIndex ? 'ReportId, StartLocalTime' : undefined;
  using writer = new DatabaseWriter(folder, { layout, index, journal: 'WAL' });
  const { database } = writer;
  const nextId = counting();
  const catalog = makeCatalog(profile.applications, profile.sites, new Random(seed));
  const last = parseWallTime(until) ?? 0;

  database.transaction(() => {
    writeTimelines(writer);
    writeGroups(writer, catalog);
    const random = new Random(seed + 1);
    const first = last - (days - 1) * DAY;
    let before = first - offsetAt(first);
    for (let midnight = first; midnight <= last; midnight += DAY) {
      if (isHoliday(midnight)) continue;
      const day = makeDay(midnight, before, catalog, profile, random);
      writeDay(day);
      before = day.states.at(-1)?.end ?? before;
    }
    writer.summaries();
  })();
  database.pragma('wal_checkpoint(TRUNCATE)');
  return writer.file;

  /** @returns the row's id */
  function writeRow({ start, end }: Span, row: Omit<StoredRow, 'id' | 'local' | 'utc'>): number {
    const id = nextId(row.report);
    const local = [stamp(start + offsetAt(start)), stamp(end + offsetAt(end))] as const;
    writer.activity({ ...row, id, local, utc: [stamp(start), stamp(end)] });
    return id;
  }

  /** Adds to ManicTime's own totals: seconds by local hour and shared group. */
  function addSum(subject: SumSubject, commonId: number, { start, end }: Span): void {
    for (let from = start; from < end;) {
      const local = from + offsetAt(from);
      const hour = Math.floor(local / HOUR) * HOUR;
      const to = Math.min(end, from + hour + HOUR - local);
      writer.sum(subject, stamp(hour), commonId, to - from);
      from = to;
    }
  }

  function writeDay({ states, applications, tags }: Day): void {
    for (const span of states)
      writeRow(span, { report: REPORTS.usage, name: span.state, groupId: stateGroup(span.state) });
    const active = states.filter(({ state }) => state === 'Active');
    let reached = Number.NEGATIVE_INFINITY;
    for (const row of applications) {
      const { start, end, thing, title, document } = row;
      const ids = { groupId: thing.id, commonId: thing.id };
      const relatedId = writeRow(row, { report: REPORTS.applications, name: title, ...ids });
      // A second that two windows cover is counted once.
      const parts = within({ start: Math.max(start, reached), end }, active);
      reached = Math.max(reached, end);
      for (const part of parts) addSum('Application', thing.id, part);
      if (document === undefined) continue;
      const { thing: content, name } = document;
      const { id: groupId, type } = content;
      writeRow(document, { report: REPORTS.documents, name, groupId, commonId: groupId, relatedId });
      for (const part of parts) {
        if (type === 'ManicTime/WebSites') addSum('WebSite', groupId, part);
        if (type === 'ManicTime/Files') addSum('Document', groupId, part);
      }
    }
    for (const tag of tags) writeRow(tag, { report: REPORTS.tags, name: tag.names.join(', ') });
  }
}

function writeTimelines(writer: DatabaseWriter): void {
  const base = 'ManicTime/GenericGroup';
  const { usage, applications, documents, tags } = REPORTS;
  writer.timeline(usage, 'ManicTime/ComputerUsage', ENVIRONMENT, { name: 'Computer usage' });
  writer.timeline(applications, 'ManicTime/Applications', ENVIRONMENT, { base, name: 'Applications' });
  writer.timeline(documents, 'ManicTime/Documents', ENVIRONMENT, { base, name: 'Documents' });
  writer.timeline(tags, 'ManicTime/Tags', ENVIRONMENT, { name: 'Tags' });
  writer.device(ENVIRONMENT, 'DESK-01');
}

/** A group has the id of its shared group. The group id of a state is its position in the list. */
function writeGroups(writer: DatabaseWriter, catalog: Catalog): void {
  const { applications, sites, files, chats } = catalog;
  const write = (report: number, things: readonly Thing[]) => {
    for (const { type, ...thing } of things) {
      const group = { ...thing, type: type === 'application' ? null : type };
      writer.group(report, group, group.id);
      writer.commonGroup(group);
    }
  };
  write(REPORTS.applications, applications);
  write(REPORTS.documents, [...sites, ...files, ...chats]);
  for (const [name, color] of STATES) {
    const key = `ManicTime/${name.replace(' ', '')}`;
    writer.group(REPORTS.usage, { id: stateGroup(name), name, key, color }, null);
  }
}

function stateGroup(state: State): number {
  return STATES.findIndex(([name]) => name === state) + 1;
}

function within({ start, end }: Span, spans: readonly Span[]): Span[] {
  return spans
    .map((span) => ({ start: Math.max(start, span.start), end: Math.min(end, span.end) }))
    .filter((part) => part.end > part.start);
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

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DATABASE_NAME } from '../database/file.ts';

/**
 * The two known column layouts: `current` has `CommonId`, `Hour` and a Tags timeline; `earlier` has `CommonGroupId`,
 * `Day` and tag tables.
 */
export type ColumnLayout = 'current' | 'earlier';

/** One row of `Ar_Activity`. Times are stored as given. */
export interface StoredRow {
  readonly report: number;
  readonly id: number;
  readonly name?: string | null | undefined;
  readonly groupId?: number | null | undefined;
  readonly commonId?: number | null | undefined;
  /** Only the current layout has a column for it. */
  readonly relatedId?: number | null | undefined;
  readonly local: readonly [start: string, end: string];
  readonly utc: readonly [start: string, end: string];
}

export interface StoredGroup {
  readonly id: number;
  readonly name: string;
  readonly key: string;
  /** Hexadecimal, without `#`. */
  readonly color: string;
  readonly type?: string | null;
}

export interface WriterOptions {
  readonly layout: ColumnLayout;
  /** Columns of an index on `Ar_Activity`. */
  readonly index?: string | undefined;
  /** Default: that of tests, which need no durability. */
  readonly journal?: 'WAL' | 'MEMORY';
}

/** Writes ManicTime databases for tests and benchmarks. */
export class DatabaseWriter implements Disposable {
  readonly database: Database.Database;
  readonly file: string;
  readonly #layout: ColumnLayout;
  readonly #statements = new Map<string, Database.Statement>();

  constructor(folder: string, { layout, index, journal = 'MEMORY' }: WriterOptions) {
    this.file = join(folder, DATABASE_NAME);
    this.#layout = layout;
    this.database = new Database(this.file);
    this.database.pragma(`journal_mode = ${journal}`);
    this.database.pragma('synchronous = OFF');
    this.database.exec(schemaOf(layout));
    if (index !== undefined) this.database.exec(`CREATE INDEX Ar_Activity_Start ON Ar_Activity (${index})`);
  }

  timeline(
    report: number,
    schema: string,
    environment: number,
    { base = null, name = null }: { readonly base?: string | null; readonly name?: string | null } = {},
  ): void {
    this.#insert('Ar_Timeline', {
      ReportId: report,
      SchemaName: schema,
      BaseSchemaName: base,
      Name: name,
      EnvironmentId: environment,
    });
  }

  device(id: number, name: string): void {
    this.#insert('Ar_Environment', {
      EnvironmentId: id,
      DeviceName: name,
      OsVersion: 'Microsoft Windows 11 Pro 10.0.26100',
      ManicTimeVersion: '2025.3.5.0',
      DotNetVersion: '.NET 8.0.14',
    });
  }

  /** @param commonId of the group that all timelines share */
  group(report: number, { id, name, key, color, type = null }: StoredGroup, commonId: number | null): void {
    this.#insert('Ar_Group', {
      ReportId: report,
      GroupId: id,
      Name: name,
      Key: key,
      Color: color,
      GroupType: type,
      CommonId: commonId,
    });
  }

  /** Once, if several timelines have it. */
  commonGroup({ id, name, key, color, type = null }: StoredGroup): void {
    this.#insert(
      'Ar_CommonGroup',
      {
        [this.#layout === 'current' ? 'CommonId' : 'CommonGroupId']: id,
        Name: name,
        Key: key,
        UpperKey: key.toUpperCase(),
        Color: color,
        GroupType: type,
        ReportGroupType: type === null ? 1 : 2,
      },
      'ON CONFLICT DO NOTHING',
    );
  }

  activity({ report, id, name, groupId, commonId, relatedId, local, utc }: StoredRow): void {
    this.#insert('Ar_Activity', {
      ReportId: report,
      ActivityId: id,
      Name: name ?? null,
      GroupId: groupId ?? null,
      StartLocalTime: local[0],
      EndLocalTime: local[1],
      StartUtcTime: utc[0],
      EndUtcTime: utc[1],
      CommonGroupId: commonId ?? null,
      IsActive: 1,
      ...(this.#layout === 'current' ? { RelatedActivityId: relatedId ?? null } : {}),
    });
  }

  /** Writes the first and last time of each timeline. */
  summaries(): void {
    this.database.exec(`INSERT INTO Ar_TimelineSummary
      SELECT ReportId, min(StartLocalTime), max(EndLocalTime), min(StartLocalTime), max(EndLocalTime)
        FROM Ar_Activity GROUP BY ReportId`);
  }

  #insert(table: string, row: Readonly<Record<string, string | number | null>>, conflict = ''): void {
    const known = this.#statements.get(table);
    const names = Object.keys(row);
    const statement =
      known ??
      this.database.prepare(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')}) ${conflict}`,
      );
    if (known === undefined) this.#statements.set(table, statement);
    statement.run(...Object.values(row));
  }

  [Symbol.dispose](): void {
    this.database.close();
  }
}

const SHARED = `
CREATE TABLE Ar_Timeline (ReportId INTEGER PRIMARY KEY, SchemaName TEXT, BaseSchemaName TEXT, Name TEXT, TimelineKey TEXT, EnvironmentId INTEGER);
CREATE TABLE Ar_Group (ReportId INTEGER, GroupId INTEGER, Name TEXT, Key TEXT, Color TEXT, GroupType TEXT, CommonId INTEGER, Icon16 BLOB, PRIMARY KEY (ReportId, GroupId));
CREATE TABLE Ar_TimelineSummary (ReportId INTEGER PRIMARY KEY, StartLocalTime DATETIME, EndLocalTime DATETIME, ActiveStartLocalTime DATETIME, ActiveEndLocalTime DATETIME);
CREATE TABLE Ar_Environment (EnvironmentId INTEGER PRIMARY KEY, DeviceName TEXT, OsVersion TEXT, ManicTimeVersion TEXT, DotNetVersion TEXT);
CREATE TABLE Ar_Folder (FolderId INTEGER PRIMARY KEY, Name TEXT);
`;

const activityTable = (more: string) => `
CREATE TABLE Ar_Activity (ReportId INTEGER NOT NULL, ActivityId INTEGER NOT NULL, Name TEXT, GroupId INTEGER,
  StartLocalTime DATETIME, EndLocalTime DATETIME, StartUtcTime DATETIME, EndUtcTime DATETIME, Notes TEXT,
  IsActive INTEGER, CommonGroupId INTEGER${more}, PRIMARY KEY (ReportId, ActivityId));
`;

function sums(key: string, time: string): string {
  return ['Application', 'WebSite', 'Document']
    .map(
      (subject) => `
CREATE TABLE Ar_${subject}ByDay (${time} DATETIME, ${key} INTEGER, TotalSeconds INTEGER, PRIMARY KEY (${time}, ${key}));
CREATE TABLE Ar_${subject}ByYear (${time} DATETIME, ${key} INTEGER, TotalSeconds INTEGER, DayOfWeek INTEGER, PRIMARY KEY (${time}, ${key}));`,
    )
    .join('');
}

function schemaOf(layout: ColumnLayout): string {
  const own =
    layout === 'current'
      ? `${activityTable(', RelatedActivityId INTEGER, GroupListId INTEGER')}
CREATE TABLE Ar_CommonGroup (CommonId INTEGER PRIMARY KEY, Name TEXT, Key TEXT, UpperKey TEXT, Color TEXT, GroupType TEXT, ReportGroupType INTEGER);
CREATE TABLE Ar_GroupList (ReportId INTEGER, GroupListId INTEGER, Name TEXT, PRIMARY KEY (ReportId, GroupListId));
CREATE TABLE Ar_GroupListItem (ReportId INTEGER, GroupListId INTEGER, GroupId INTEGER, PRIMARY KEY (ReportId, GroupListId, GroupId));
${sums('CommonId', 'Hour')}`
      : `${activityTable('')}
CREATE TABLE Ar_CommonGroup (CommonGroupId INTEGER PRIMARY KEY, Name TEXT, Key TEXT, UpperKey TEXT, Color TEXT, GroupType TEXT, ReportGroupType INTEGER);
CREATE TABLE Ar_Tag (TagId INTEGER PRIMARY KEY, Name TEXT);
CREATE TABLE Ar_ActivityTag (ActivityId INTEGER, TagId INTEGER, PRIMARY KEY (ActivityId, TagId));
${sums('CommonGroupId', 'Day')}`;
  return `${SHARED}${own}`;
}

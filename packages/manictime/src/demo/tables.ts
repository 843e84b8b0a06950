import type { Database, Statement } from 'better-sqlite3';
import type { Catalog, Thing } from './catalog.ts';
import { offsetAt, type Span, stamp, type State } from './day.ts';
import type { ColumnLayout } from './options.ts';

/** Report ids are arbitrary, as in real databases. */
export interface Reports {
  readonly usage: number;
  readonly applications: number;
  readonly documents: number;
  readonly tags: number;
}

export const FIRST_DEVICE: Reports = { usage: 9, applications: 3, documents: 4, tags: 7 };
export const SECOND_DEVICE: Reports = { usage: 19, applications: 13, documents: 14, tags: 17 };

/** In the order of their group ids, with ManicTime's colors. */
const STATE_COLORS: Readonly<Record<State, string>> = {
  Active: '00aa00',
  Away: 'e0a030',
  'Session lock': '8a8f98',
  'Power off': '5a5f66',
};
const STATES: readonly State[] = ['Active', 'Away', 'Session lock', 'Power off'];

export interface Row extends Span {
  readonly reportId: number;
  readonly name: string | undefined;
  readonly groupId?: number;
  readonly commonId?: number;
  readonly relatedId?: number;
}

/** Inserts rows into one database. Activity ids are unique per timeline. */
export class Reporter {
  readonly #insert: Statement;
  readonly #layout: ColumnLayout;
  readonly #nextId: (reportId: number) => number;

  constructor(database: Database, layout: ColumnLayout, nextId: (reportId: number) => number) {
    const [columns, values] = layout === 'current' ? [', RelatedActivityId', ', ?'] : ['', ''];
    this.#insert = database.prepare(
      `INSERT INTO Ar_Activity (ReportId, ActivityId, Name, GroupId, StartLocalTime, EndLocalTime, StartUtcTime, EndUtcTime, CommonGroupId, IsActive${columns})
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1${values})`,
    );
    this.#layout = layout;
    this.#nextId = nextId;
  }

  /** @returns the row's id */
  write({ reportId, name, groupId, start, end, commonId, relatedId }: Row): number {
    const id = this.#nextId(reportId);
    const local = [start, end].map((utc) => stamp(utc + offsetAt(utc)));
    const row = [
      reportId,
      id,
      name ?? null,
      groupId ?? null,
      ...local,
      stamp(start),
      stamp(end),
      commonId ?? null,
    ];
    this.#insert.run(...row, ...(this.#layout === 'current' ? [relatedId ?? null] : []));
    return id;
  }
}

export function writeTimelines(
  database: Database,
  { usage, applications, documents, tags }: Reports,
  environment: number,
): void {
  const insert = database.prepare('INSERT INTO Ar_Timeline VALUES (?, ?, ?, ?, ?, ?)');
  const generic = 'ManicTime/GenericGroup';
  insert.run(usage, 'ManicTime/ComputerUsage', null, 'Computer usage', `usage-${environment}`, environment);
  insert.run(
    applications,
    'ManicTime/Applications',
    generic,
    'Applications',
    `applications-${environment}`,
    environment,
  );
  insert.run(documents, 'ManicTime/Documents', generic, 'Documents', `documents-${environment}`, environment);
  insert.run(tags, 'ManicTime/Tags', null, 'Tags', `tags-${environment}`, environment);
  database
    .prepare('INSERT INTO Ar_Environment VALUES (?, ?, ?, ?, ?)')
    .run(
      environment,
      environment === 1 ? 'DESK-01' : 'LAPTOP-02',
      'Microsoft Windows 11 Pro 10.0.26100',
      '2025.3.5.0',
      '.NET 8.0.14',
    );
}

/** A group has the id of its shared group. The group id of a state is its position in the list. */
export function writeGroups(
  database: Database,
  layout: ColumnLayout,
  catalog: Catalog,
  { usage, applications, documents }: Reports,
): void {
  const group = database.prepare(
    'INSERT INTO Ar_Group (ReportId, GroupId, Name, Key, Color, GroupType, CommonId) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const key = layout === 'current' ? 'CommonId' : 'CommonGroupId';
  const common = database.prepare(
    `INSERT OR IGNORE INTO Ar_CommonGroup (${key}, Name, Key, UpperKey, Color, GroupType, ReportGroupType) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const write = (reportId: number, things: readonly Thing[]) => {
    for (const { id, name, key, color, type } of things) {
      const groupType = type === 'application' ? null : type;
      group.run(reportId, id, name, key, color, groupType, id);
      common.run(id, name, key, key.toUpperCase(), color, groupType, type === 'application' ? 1 : 2);
    }
  };
  write(applications, catalog.applications);
  write(documents, [...catalog.sites, ...catalog.files, ...catalog.chats]);
  for (const state of STATES)
    group.run(
      usage,
      stateGroup(state),
      state,
      `ManicTime/${state.replace(' ', '')}`,
      STATE_COLORS[state],
      null,
      null,
    );
}

export function stateGroup(state: State): number {
  return STATES.indexOf(state) + 1;
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

export function schemaOf(layout: ColumnLayout, startIndex: boolean): string {
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
CREATE TABLE Ar_ActivityByHour (Day DATE, Hour INTEGER, CommonGroupId INTEGER, TotalSeconds INTEGER);
${sums('CommonGroupId', 'Day')}`;
  const index = startIndex ? 'CREATE INDEX Ar_Activity_Start ON Ar_Activity (ReportId, StartLocalTime);' : '';
  return `${SHARED}${own}${index}`;
}

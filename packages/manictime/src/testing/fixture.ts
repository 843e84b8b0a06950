import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DATABASE_NAME } from '../database/file.ts';
import type { ColumnLayout } from '../demo/options.ts';
import { schemaOf } from '../demo/tables.ts';

export const APPLICATIONS = 3;
export const DOCUMENTS = 4;
export const TAGS = 7;
export const USAGE = 9;

export interface FixtureRow {
  /** Local, `yyyy-MM-dd HH:mm:ss`. */
  readonly from: string;
  readonly to: string;
  readonly name?: string | null;
  /** Name of a group. One group is created per name. */
  readonly group?: string;
  readonly type?: 'ManicTime/WebSites' | 'ManicTime/Files' | 'ManicTime/Chat';
  readonly id?: number;
  readonly relatedId?: number;
  /** UTC offset in hours. Default 1. */
  readonly offset?: number;
  /** At the end. Default: as at the start. */
  readonly endOffset?: number;
  readonly report?: number;
}

export interface Fixture {
  readonly layout?: ColumnLayout;
  /** Tables to drop. */
  readonly without?: readonly string[];
  readonly applications?: readonly FixtureRow[];
  readonly documents?: readonly FixtureRow[];
  readonly usage?: readonly FixtureRow[];
  readonly tags?: readonly FixtureRow[];
  /** Timelines in addition to the standard four. */
  readonly timelines?: readonly {
    readonly report: number;
    readonly schema: string;
    readonly environment?: number;
  }[];
  /** SQL to run at the end. */
  readonly sql?: string;
  /** Whether to write a screenshot of an earlier day. A folder without any degrades narratives. */
  readonly hasScreenshots?: boolean;
}

const SCHEMAS = [
  [APPLICATIONS, 'ManicTime/Applications'],
  [DOCUMENTS, 'ManicTime/Documents'],
  [TAGS, 'ManicTime/Tags'],
  [USAGE, 'ManicTime/ComputerUsage'],
] as const;

/** Writes a small database. Without usage rows the computer counts as active all day. */
export function writeFixture(folder: string, fixture: Fixture): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, DATABASE_NAME);
  const database = new Database(file);
  // A test needs no durability, and waiting for the disk takes most of its time.
  database.pragma('synchronous = OFF');
  database.pragma('journal_mode = MEMORY');
  const { layout = 'current' } = fixture;
  database.exec(schemaOf(layout, true));
  for (const [report, schema] of SCHEMAS) writeTimeline(database, report, schema, 1);
  for (const { report, schema, environment = 1 } of fixture.timelines ?? [])
    writeTimeline(database, report, schema, environment);
  const writer = new RowWriter(database, layout);
  for (const row of fixture.applications ?? []) writer.write(APPLICATIONS, row);
  for (const row of fixture.documents ?? []) writer.write(DOCUMENTS, row);
  for (const row of fixture.tags ?? []) writer.write(TAGS, row);
  for (const row of fixture.usage ?? []) writer.write(USAGE, row);
  for (const table of fixture.without ?? []) database.exec(`DROP TABLE ${table}`);
  if (fixture.sql !== undefined) database.exec(fixture.sql);
  database.close();
  if (fixture.hasScreenshots === true) {
    const shots = join(folder, 'Screenshots');
    mkdirSync(shots);
    writeFileSync(join(shots, '2025-01-01_09-00-00_01-00_800_600_1_0.jpg'), '');
  }
  return file;
}

function writeTimeline(
  database: Database.Database,
  report: number,
  schema: string,
  environment: number,
): void {
  database
    .prepare(
      'INSERT INTO Ar_Timeline (ReportId, SchemaName, BaseSchemaName, EnvironmentId) VALUES (?, ?, NULL, ?)',
    )
    .run(report, schema, environment);
}

class RowWriter {
  readonly #database: Database.Database;
  readonly #common: string;
  readonly #related: boolean;
  readonly #groups = new Map<string, number>();
  #lastId = 100;

  constructor(database: Database.Database, layout: ColumnLayout) {
    this.#database = database;
    this.#common = layout === 'current' ? 'CommonId' : 'CommonGroupId';
    this.#related = layout === 'current';
  }

  write(defaultReport: number, row: FixtureRow): void {
    const { from, to, name = null, group, id, relatedId, report = defaultReport } = row;
    const { offset = 1, endOffset = offset } = row;
    this.#lastId = id ?? this.#lastId + 1;
    const groupId = group === undefined ? null : this.#groupId(report, group, row);
    const related = this.#related ? { RelatedActivityId: relatedId ?? null } : {};
    const values = {
      ReportId: report,
      ActivityId: this.#lastId,
      Name: name,
      GroupId: groupId,
      CommonGroupId: groupId,
      StartLocalTime: from,
      EndLocalTime: to,
      StartUtcTime: utc(from, offset),
      EndUtcTime: utc(to, endOffset),
      ...related,
    };
    const columns = Object.keys(values);
    this.#database
      .prepare(
        `INSERT INTO Ar_Activity (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      )
      .run(...Object.values(values));
  }

  #groupId(report: number, name: string, { type }: FixtureRow): number {
    const identity = `${report}/${name}`;
    const known = this.#groups.get(identity);
    if (known !== undefined) return known;
    const id = this.#groups.size + 1;
    this.#groups.set(identity, id);
    const isState = report === USAGE;
    const key = isState
      ? `ManicTime/${name.replaceAll(' ', '')}`
      : `${name.toLowerCase()}.exe;${name.toLowerCase()}`;
    this.#database
      .prepare(
        'INSERT INTO Ar_Group (ReportId, GroupId, Name, Key, Color, GroupType, CommonId) VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      .run(report, id, name, key, '336699', type ?? null, isState ? null : id);
    this.#database
      .prepare(`INSERT INTO Ar_CommonGroup (${this.#common}, Name, Key, Color) VALUES (?, ?, ?, ?)`)
      .run(id, name, key, '336699');
    return id;
  }
}

function utc(local: string, offsetHours: number): string {
  const instant = Date.parse(`${local.replace(' ', 'T')}Z`) - offsetHours * 3_600_000;
  return new Date(instant).toISOString().slice(0, 19).replace('T', ' ');
}

/** A folder for several tests. The caller removes it. */
export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'deskside-manictime-'));
}

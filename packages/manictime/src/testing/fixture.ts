import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ColumnLayout, DatabaseWriter } from './database-writer.ts';

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
  /** Columns of the index on the rows; null: none. Default: the timeline and the start. */
  readonly index?: string | null;
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
  /** Clock times of 15 January 2025 at which a screenshot was taken. Its file is empty. */
  readonly shots?: readonly string[];
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
  const { layout = 'current', index = 'ReportId, StartLocalTime' } = fixture;
  using writer = new DatabaseWriter(folder, { layout, index: index ?? undefined });
  for (const [report, schema] of SCHEMAS) writer.timeline(report, schema, 1);
  for (const { report, schema, environment = 1 } of fixture.timelines ?? [])
    writer.timeline(report, schema, environment);
  const groups = new Map<string, number>();
  let lastId = 100;
  const lists = [fixture.applications, fixture.documents, fixture.tags, fixture.usage];
  for (const [index, report] of [APPLICATIONS, DOCUMENTS, TAGS, USAGE].entries()) {
    for (const row of lists[index] ?? []) {
      lastId = row.id ?? lastId + 1;
      writeRow(writer, { ...row, id: lastId, report: row.report ?? report }, groups);
    }
  }
  for (const table of fixture.without ?? []) writer.database.exec(`DROP TABLE ${table}`);
  if (fixture.sql !== undefined) writer.database.exec(fixture.sql);
  const taken = (fixture.shots ?? []).map((time) => `2025-01-15_${time.replaceAll(':', '-')}`);
  for (const [at, time] of [
    ...(fixture.hasScreenshots === true ? ['2025-01-01_09-00-00'] : []),
    ...taken,
  ].entries()) {
    mkdirSync(join(folder, 'Screenshots'), { recursive: true });
    writeFileSync(join(folder, 'Screenshots', `${time}_01-00_800_600_${at}_0.jpg`), '');
  }
  return writer.file;
}

/** @param groups ids by report and name */
function writeRow(
  writer: DatabaseWriter,
  row: FixtureRow & { readonly id: number; readonly report: number },
  groups: Map<string, number>,
): void {
  const { from, to, group, report, type = null, offset = 1, endOffset = offset } = row;
  const identity = `${report}/${group}`;
  if (group !== undefined && !groups.has(identity)) {
    const id = groups.size + 1;
    groups.set(identity, id);
    const name = group.toLowerCase();
    const key = report === USAGE ? `ManicTime/${group.replaceAll(' ', '')}` : `${name}.exe;${name}`;
    const written = { id, name: group, key, color: '336699', type };
    writer.group(report, written, report === USAGE ? null : id);
    writer.commonGroup(written);
  }
  const groupId = groups.get(identity);
  const utc = [utcOf(from, offset), utcOf(to, endOffset)] as const;
  writer.activity({ ...row, groupId, commonId: groupId, local: [from, to], utc });
}

function utcOf(local: string, offsetHours: number): string {
  const instant = Date.parse(`${local.replace(' ', 'T')}Z`) - offsetHours * 3_600_000;
  return new Date(instant).toISOString().slice(0, 19).replace('T', ' ');
}

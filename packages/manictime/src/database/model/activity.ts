import { HOUR, startOfDay, type WallTime } from '@deskside/core/dates';
import type { Interval } from './interval.ts';
import { remembered } from './text.ts';

/** What a timeline tracks. Plugins can add timelines of kind `other`. */
export type TimelineKind = 'applications' | 'documents' | 'urls' | 'usage' | 'tags' | 'other';

export interface Timeline {
  readonly reportId: number;
  readonly schemaName: string;
  readonly baseSchemaName: string | undefined;
  /** The device that was tracked; undefined if the database does not name it. */
  readonly environment: string | undefined;
  /** As the person sees it in ManicTime. */
  readonly name?: string | undefined;
  readonly deviceName?: string | undefined;
  readonly kind: TimelineKind;
}

const KINDS: Readonly<Record<string, TimelineKind>> = {
  'manictime/applications': 'applications',
  'manictime/documents': 'documents',
  'manictime/browserurls': 'urls',
  'manictime/computerusage': 'usage',
  'manictime/tags': 'tags',
};

/** The kind of a schema; if the schema is unknown, the kind of its base schema. */
export function kindOf(schemaName: string, baseSchemaName: string | undefined): TimelineKind {
  return KINDS[schemaName.toLowerCase()] ?? KINDS[baseSchemaName?.toLowerCase() ?? ''] ?? 'other';
}

export function ofKind(timelines: readonly Timeline[], ...kinds: readonly TimelineKind[]): Timeline[] {
  return timelines.filter(({ kind }) => kinds.includes(kind));
}

/** What an activity belongs to: an application, a website, a document, or a state of the computer. */
export interface Group {
  readonly name: string | undefined;
  /** `#RRGGBB` */
  readonly color: string | undefined;
  readonly key: string | undefined;
  readonly type: string | undefined;
  /** Equal for the same group on other timelines. */
  readonly commonId: string | undefined;
  readonly commonName: string | undefined;
  readonly commonKey: string | undefined;
  /** The folder in ManicTime that contains the group. */
  readonly folder?: string | undefined;
  /** Whether a name or key is not text. */
  readonly isDamaged?: boolean;
}

/**
 * One row of a timeline. `start` and `end` are instants in seconds: UTC if the database has UTC times, so that
 * durations are right when the clocks change; else the local clock.
 */
export interface Activity extends Interval {
  readonly timeline: Timeline;
  /** Undefined if it is not a number that JSON can hold. */
  readonly activityId: number | undefined;
  readonly localStart: WallTime;
  readonly localEnd: WallTime;
  readonly name: string | undefined;
  readonly groupId: number | undefined;
  readonly group: Group | undefined;
  /** Id of the application row that a document or URL belongs to. */
  readonly relatedId: number | undefined;
  readonly groupListId: number | undefined;
  /** Whether a privacy rule hides its names. Its ids must not be shown. */
  readonly isRedacted?: true;
}

/** A part of an activity. */
export interface Piece extends Interval {
  readonly activity: Activity;
}

/** A range on the local clock; `to` is exclusive. */
export interface LocalRange {
  readonly from: WallTime;
  readonly to: WallTime;
}

/**
 * Whether an activity belongs to a range. One during which the clock was set back to before its start belongs to its
 * start only.
 */
export function touches(
  { localStart, localEnd }: Pick<Activity, 'localStart' | 'localEnd'>,
  range: LocalRange,
): boolean {
  return (
    localStart < range.to && (localEnd > range.from || (localEnd < localStart && localStart >= range.from))
  );
}

export function touching(activities: readonly Activity[], range: LocalRange): Activity[] {
  return activities.filter((activity) => touches(activity, range));
}

/** The name that a person knows. */
export function labelOf({ group, name }: Activity): string | undefined {
  return group?.commonName ?? group?.name ?? name;
}

/** Clocks change at about two o'clock, so that midnight divides a window over such a night exactly. */
const CHANGE_OF_CLOCK = 2 * HOUR;

/**
 * The instant from which the offset of the end holds; undefined if start and end have the same. Rows do not tell
 * when the clock changed: in the last night of the row, else (a trip) in its middle.
 */
function changeOf({ start, end, localStart, localEnd }: Activity): number | undefined {
  const [before, after] = [localStart - start, localEnd - end];
  if (before === after) return undefined;
  const night = startOfDay(localEnd) + CHANGE_OF_CLOCK - before;
  return night > start && night < end && Math.abs(after - before) <= 2 * HOUR ? night : (start + end) / 2;
}

/** Local time at an instant of an activity. */
export function localOf(activity: Activity, instant: number): WallTime {
  const { start, end, localStart, localEnd } = activity;
  const change = changeOf(activity);
  return change === undefined || instant < change
    ? localStart + (instant - start)
    : localEnd - (end - instant);
}

/** The first instant at which an activity reaches a local time between its start and end. */
function instantOf(activity: Activity, local: WallTime): number {
  const { start, end, localStart, localEnd } = activity;
  const change = changeOf(activity);
  const fromStart = start + (local - localStart);
  const instant =
    change === undefined || fromStart < change ? fromStart : Math.max(change, end - (localEnd - local));
  return Math.min(Math.max(instant, start), end);
}

/** The part of an activity that lies in a local range. */
export function pieceIn(activity: Activity, { from, to }: LocalRange): Piece {
  const start = activity.localStart < from ? instantOf(activity, from) : activity.start;
  const end = activity.localEnd > to ? instantOf(activity, to) : activity.end;
  return { start, end: Math.max(start, end), activity };
}

export function hostOf(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@?#]*@)?([^/:?#]+)/i.exec(url)?.[1] ?? '';
}

export type DocumentKind = 'website' | 'file' | 'other';

/** What a row of a Documents or BrowserUrls timeline is: the group decides; without a group type, the name. */
export function documentKind({ group, timeline, name = '' }: Activity): DocumentKind {
  if (timeline.kind === 'urls') return 'website';
  const type = group?.type?.toLowerCase();
  if (type === 'manictime/websites') return 'website';
  if (type === 'manictime/files') return 'file';
  if (type !== undefined && type !== '') return 'other';
  return /^https?:\/\//i.test(name) ? 'website' : 'file';
}

/** Name of a website: the group's name, else the host of the URL. */
export function siteOf({ group, name = '' }: Activity): string {
  const site = group?.commonName ?? group?.name;
  if (site !== undefined && site !== '') return site;
  const host = hostOf(name);
  return host === '' ? name : host;
}

/**
 * Name of a file. A Windows path becomes a `file:` URL in its readable form: letters of all languages and spaces stay,
 * because percent codes cost tokens and hide the name.
 */
export function fileOf({ name, group }: Activity): string | undefined {
  const path = name ?? group?.name;
  return path === undefined ? undefined : addressOf(path);
}

const addressOf = remembered((path) => {
  const slashes = path.replaceAll('\\', '/').replaceAll(/[%#?]/g, encodeURIComponent);
  if (/^[a-z]:[\\/]/i.test(path)) return `file:///${slashes}`;
  return path.startsWith('\\\\') ? `file:${slashes}` : path;
});

export type ComputerState = 'active' | 'inactive';

const INACTIVE_NAME = /^(away|idle|locked|session lock(ed)?|(power )?off|sleep)$/;

/**
 * State of a row of the ComputerUsage timeline; undefined for an unknown state. Keys are stable; names are
 * display texts that ManicTime may translate.
 */
export function stateOf({ group, name }: Activity): ComputerState | undefined {
  const key = (group?.key ?? group?.commonKey)?.toLowerCase() ?? '';
  const stated = (group?.name ?? name)?.trim().toLowerCase() ?? '';
  if (key === 'manictime/active' || stated === 'active') return 'active';
  return key.startsWith('manictime/') || INACTIVE_NAME.test(stated) ? 'inactive' : undefined;
}

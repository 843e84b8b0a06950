import type { Activity, Piece } from '../timeline/activity.ts';
import { documentKind, fileOf, siteOf } from '../timeline/documents.ts';
import { labelOf } from '../timeline/activity.ts';

/** What was open in an application. */
export interface Seen {
  readonly website?: string;
  readonly document?: string;
}

/** Seconds within which a page that was left still counts, and a browser window follows another. */
const TOLERANCE = 5;

const BROWSERS = new Set([
  'google chrome',
  'chrome',
  'mozilla firefox',
  'firefox',
  'microsoft edge',
  'edge',
  'brave browser',
  'brave',
  'opera',
  'safari',
  'vivaldi',
  'arc',
]);

/**
 * The website and the document of each piece: of the rows that the database links to it; where it links none,
 * of the one that overlaps it most, or ended less than 5 seconds before it. A browser window without any that
 * follows another of the same browser keeps that one's site.
 *
 * @param pieces and documents sorted by start
 */
export function seenIn(pieces: readonly Piece[], documents: readonly Activity[]): Seen[] {
  const linked = linkedRows(documents);
  const applications = new Set(pieces.map(({ activity }) => linkOf(activity, activity.activityId)));
  const unlinked = documents.filter(
    (row) => row.relatedId === undefined || !applications.has(linkOf(row, row.relatedId)),
  );
  const nearby = sweep(unlinked);
  let previous: { readonly piece: Piece; readonly seen: Seen } | undefined;
  return pieces.map((piece) => {
    const own = linked.get(linkOf(piece.activity, piece.activity.activityId)) ?? [];
    const others = nearby(piece);
    const website = best(own, others, piece, 'website') ?? carried(piece, previous);
    const document = best(own, others, piece, 'file');
    const seen = {
      ...(website === undefined ? {} : { website }),
      ...(document === undefined ? {} : { document }),
    };
    previous = { piece, seen };
    return seen;
  });
}

function linkedRows(documents: readonly Activity[]): Map<string, Activity[]> {
  const linked = new Map<string, Activity[]>();
  for (const row of documents) {
    if (row.relatedId === undefined) continue;
    const link = linkOf(row, row.relatedId);
    const rows = linked.get(link);
    if (rows === undefined) linked.set(link, [row]);
    else rows.push(row);
  }
  return linked;
}

/** Ids repeat between devices. */
function linkOf({ timeline }: Activity, applicationId: number): string {
  return `${timeline.environment ?? ''}/${applicationId}`;
}

/** Rows near one piece after another, in one pass over both. */
function sweep(rows: readonly Activity[]): (piece: Piece) => readonly Activity[] {
  let next = 0;
  let near: Activity[] = [];
  return ({ start, end }) => {
    for (let row = rows[next]; row !== undefined && row.start < end; row = rows[next]) {
      near.push(row);
      next += 1;
    }
    near = near.filter((row) => row.end > start - TOLERANCE);
    return near;
  };
}

function best(
  linked: readonly Activity[],
  nearby: readonly Activity[],
  piece: Piece,
  kind: 'website' | 'file',
): string | undefined {
  const row =
    longest(linked, piece, kind, Number.NEGATIVE_INFINITY) ?? longest(nearby, piece, kind, -TOLERANCE);
  if (row === undefined) return undefined;
  return kind === 'website' ? siteOf(row) : fileOf(row);
}

/** The row of a kind that overlaps most, the earliest of equals. A negative overlap is the gap before the piece. */
function longest(
  rows: readonly Activity[],
  { start, end }: Piece,
  kind: 'website' | 'file',
  least: number,
): Activity | undefined {
  let found: Activity | undefined;
  let most = least;
  for (const row of rows) {
    const overlap = Math.min(row.end, end) - Math.max(row.start, start);
    if (overlap <= most || row.start >= end || documentKind(row) !== kind) continue;
    found = row;
    most = overlap;
  }
  return found;
}

function carried(
  piece: Piece,
  previous: { readonly piece: Piece; readonly seen: Seen } | undefined,
): string | undefined {
  const label = labelOf(piece.activity);
  if (previous === undefined || label === undefined || !BROWSERS.has(label.toLowerCase())) return undefined;
  const follows = piece.start - previous.piece.end <= TOLERANCE;
  return follows && labelOf(previous.piece.activity) === label ? previous.seen.website : undefined;
}

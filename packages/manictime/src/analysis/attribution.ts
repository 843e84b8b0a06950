import {
  type Activity,
  documentKind,
  fileOf,
  labelOf,
  type Piece,
  siteOf,
} from '../database/model/activity.ts';

/** The website and the document that were open in an application. */
export interface Attribution {
  readonly website?: string;
  /** Address of the page of the website. */
  readonly page?: string;
  readonly document?: string;
}

/** A page still counts this long after it was left. Also the maximum gap between two windows of one browser. */
const TOLERANCE_SECONDS = 5;

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
 * Finds the website and the document of each piece. Rows that the database links to the piece come first; without such
 * rows, the row with the largest overlap. A website may also have ended less than 5 seconds before the piece, if it was
 * open in the same application, or in an unknown one and the piece is a browser. A browser window without a website
 * takes it from the window of the same browser directly before it.
 */
export class DocumentAttribution {
  readonly #owners: Owners = new WeakMap();
  #previous: { readonly piece: Piece; readonly attribution: Attribution } | undefined;

  /**
   * One attribution per piece. Call it once per day, in order.
   *
   * @param pieces and documents of the day, sorted by start
   */
  ofDay(pieces: readonly Piece[], documents: readonly Activity[]): Attribution[] {
    const linked = linkedRows(documents);
    const applications = new Set(pieces.map(({ activity }) => linkOf(activity, activity.activityId)));
    const unlinked = documents.filter(
      (row) => row.relatedId === undefined || !applications.has(linkOf(row, row.relatedId)),
    );
    const nearby = sweep(unlinked);
    return pieces.map((piece) => {
      const own = linked.get(linkOf(piece.activity, piece.activity.activityId)) ?? [];
      const others = nearby(piece);
      const recent = others.filter((row) => ownsAfter(piece, row, this.#owners));
      const page = best(own, recent, piece, 'website', -TOLERANCE_SECONDS);
      const file = best(own, others, piece, 'file', 0);
      noteOwners(piece, others, this.#owners);
      const attribution = {
        ...(page === undefined ? carried(piece, this.#previous) : pageOf(page)),
        ...documentOf(file),
      };
      this.#previous = { piece, attribution };
      return attribution;
    });
  }
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

/** Returns the rows near each piece. Call it with pieces in order: one pass over both lists. */
function sweep(rows: readonly Activity[]): (piece: Piece) => readonly Activity[] {
  let next = 0;
  let near: Activity[] = [];
  return ({ start, end }) => {
    for (let row = rows[next]; row !== undefined && row.start < end; row = rows[next]) {
      near.push(row);
      next += 1;
    }
    near = near.filter((row) => row.end > start - TOLERANCE_SECONDS);
    return near;
  };
}

/** The applications that were in the foreground during a row. */
type Owners = WeakMap<Activity, Set<string | undefined>>;

function noteOwners({ start, end, activity }: Piece, rows: readonly Activity[], owners: Owners): void {
  for (const row of rows) {
    if (row.end <= start || row.start >= end) continue;
    const labels = owners.get(row) ?? new Set();
    owners.set(row, labels.add(labelOf(activity)));
  }
}

/** Whether a row overlaps a piece, or was open in the application of the piece before it. */
function ownsAfter({ start, activity }: Piece, row: Activity, owners: Owners): boolean {
  if (row.end > start) return true;
  const label = labelOf(activity);
  return owners.get(row)?.has(label) ?? isBrowser(label);
}

function isBrowser(label: string | undefined): boolean {
  return label !== undefined && BROWSERS.has(label.toLowerCase());
}

function best(
  linked: readonly Activity[],
  nearby: readonly Activity[],
  piece: Piece,
  kind: 'website' | 'file',
  least: number,
): Activity | undefined {
  return longest(linked, piece, kind, Number.NEGATIVE_INFINITY) ?? longest(nearby, piece, kind, least);
}

function pageOf(row: Activity): Attribution {
  return { website: siteOf(row), ...(row.name === undefined ? {} : { page: row.name }) };
}

function documentOf(row: Activity | undefined): Attribution {
  const document = row === undefined ? undefined : fileOf(row);
  return document === undefined ? {} : { document };
}

/** The row of a kind with the largest overlap, the earliest of equals. A negative overlap is the gap before the piece. */
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
  previous: { readonly piece: Piece; readonly attribution: Attribution } | undefined,
): Attribution {
  const label = labelOf(piece.activity);
  if (previous === undefined || !isBrowser(label)) return {};
  const follows = piece.start - previous.piece.end <= TOLERANCE_SECONDS;
  if (!follows || labelOf(previous.piece.activity) !== label) return {};
  const { document: _, ...page } = previous.attribution;
  return page;
}

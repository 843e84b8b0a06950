import { cutTo } from '../time/intervals.ts';
import { activeTime, byLocalPeriod, piecesIn } from '../timeline/active-time.ts';
import { type Activity, labelOf, type LocalRange, type Piece } from '../timeline/activity.ts';
import { documentKind, fileOf, siteOf } from '../timeline/documents.ts';
import { foreground } from '../timeline/foreground.ts';
import type { RangeRows } from '../timeline/range-rows.ts';
import type { UsageRow, UsageSubject, UsedThing } from './usage.ts';

/** Adds up single activities in active time, by thing and period; each second counts for one thing. */
export function rawUsage(
  rows: RangeRows,
  subject: UsageSubject,
  range: LocalRange,
  period: number,
): UsageRow[] {
  const { pieces } = activeTime(rows, range);
  return addUp(
    subject === 'applications' ? pieces : documentPieces(rows, subject, range, pieces),
    subject,
    period,
  );
}

/** The same for pieces of active time that are there already. */
function addUp(pieces: readonly Piece[], subject: UsageSubject, period: number): UsageRow[] {
  const sums = new Map<string, { thing: UsedThing; period: number; seconds: number }>();
  for (const piece of pieces) {
    const thing = thingOf(piece.activity, subject);
    for (const [start, part] of byLocalPeriod(piece, period)) {
      const id = `${start}/${thing.id}`;
      const sum = sums.get(id);
      if (sum === undefined) sums.set(id, { thing, period: start, seconds: part.end - part.start });
      else sum.seconds += part.end - part.start;
    }
  }
  return [...sums.values()];
}

function documentPieces(
  rows: RangeRows,
  subject: UsageSubject,
  range: LocalRange,
  active: readonly Piece[],
): Piece[] {
  const kind = subject === 'websites' ? 'website' : 'file';
  const documents = rows.documents.filter((row) => documentKind(row) === kind);
  return cutTo(foreground(piecesIn(documents, range)), active);
}

function thingOf(activity: Activity, subject: UsageSubject): UsedThing {
  const { group } = activity;
  const name = nameOf(activity, subject) ?? 'Unknown';
  const key = group?.commonKey ?? group?.key;
  const id = group?.commonId === undefined ? `key/${key ?? ''}/${name}` : `common/${group.commonId}`;
  return { id, name, color: group?.color, key };
}

function nameOf(activity: Activity, subject: UsageSubject): string | undefined {
  if (subject === 'applications') return labelOf(activity);
  if (subject === 'websites') return siteOf(activity);
  return activity.group?.commonName ?? activity.group?.name ?? fileOf(activity);
}

import { type Level, type NotificationInput, OWN_CONTEXT } from './notification.ts';
import { Tally, type TallyData } from './tally.ts';

/** Notifications that a sink lost and that its people do not know about yet, as plain data. */
export interface LossData {
  readonly tally: TallyData;
  /** Cause, as in `because …`, to the number of notifications. */
  readonly causes: Readonly<Record<string, number>>;
}

export function emptyTally(): TallyData {
  return { counts: { info: 0, warn: 0, error: 0 }, lines: [] };
}

/** @returns both losses together */
export function mergedLosses(first: LossData | undefined, second: LossData): LossData {
  if (first === undefined) return second;
  const tally = Tally.from(first.tally);
  tally.merge(second.tally);
  const causes = { ...first.causes };
  for (const [cause, count] of Object.entries(second.causes)) causes[cause] = (causes[cause] ?? 0) + count;
  return { tally: tally.data, causes };
}

export function countLost({ tally }: LossData): number {
  return Tally.from(tally).total;
}

/** The notice that reports losses to the people of the sink. */
export function lossNotice({ tally: data, causes }: LossData): NotificationInput {
  const tally = Tally.from(data);
  const why = Object.entries(causes);
  const [only] = why;
  const because =
    why.length === 1 && only !== undefined
      ? ` because ${only[0]}`
      : ` (${why.map(([cause, count]) => `${count} because ${cause}`).join(', ')})`;
  const message = `${tally.subject} lost${because}: ${tally.levels}.${tally.list}`;
  const level: Level = tally.level === 'info' ? 'warn' : tally.level;
  return { level, context: OWN_CONTEXT, message };
}

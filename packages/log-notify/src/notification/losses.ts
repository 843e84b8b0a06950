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
  const tally = Tally.from(first.tally, true);
  tally.merge(second.tally);
  const causes = { ...first.causes };
  for (const [cause, count] of Object.entries(second.causes)) causes[cause] = (causes[cause] ?? 0) + count;
  return { tally: tally.data, causes };
}

export function countLost({ tally }: LossData): number {
  return Tally.from(tally).total;
}

/** The first notice that reports losses to the people of the sink, and what the next ones have to report. */
export function lossNotice(
  { tally: data, causes }: LossData,
  maxCodePoints: number,
): { readonly notice: NotificationInput; readonly rest: LossData | undefined } {
  const [tally = new Tally(), ...others] = Tally.from(data, true).parts(maxCodePoints);
  const because = Object.keys(causes).join(', or because ');
  const message = `${tally.subject} lost because ${because}: ${tally.levels}.${tally.list}`;
  const level: Level = tally.level === 'info' ? 'warn' : tally.level;
  const rest = new Tally(true);
  for (const other of others) rest.merge(other.data);
  return {
    notice: { level, context: OWN_CONTEXT, message },
    rest: others.length === 0 ? undefined : { tally: rest.data, causes },
  };
}

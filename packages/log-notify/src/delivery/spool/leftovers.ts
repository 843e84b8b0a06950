import { countLost, type LossData, mergedLosses } from '../../notification/losses.ts';
import type { Notification } from '../../notification/notification.ts';
import { DAY_MS, MAX_AGE_DAYS } from '../attempts.ts';
import type { Line, Origin, Stage } from './lines.ts';

/** A notification that a server that ended did not deliver. */
export interface Leftover {
  readonly notification: Notification;
  /** Keys of the sinks of this server that shall get it. */
  readonly sinks: ReadonlyMap<string, Stage>;
}

export interface Leftovers {
  readonly notifications: readonly Leftover[];
  /** By key of a sink of this server. */
  readonly losses: ReadonlyMap<string, LossData>;
  /** How many were too old. */
  readonly expired: number;
  /** How many were for a sink that is not in the configuration any more. */
  readonly removed: number;
  /** What another server has to take. */
  readonly rest: readonly Line[];
  /** False if everything is for another server. */
  readonly isWanted: boolean;
}

/**
 * Decides which sink of this server gets what waits for a sink of another one.
 *
 * @param origins the sinks that the configuration file of the other server had, by key
 * @returns the key of a sink; `removed` if none will ever get it; undefined if another server may have the sink
 */
export type Route = (
  sink: string,
  origins: Readonly<Record<string, Origin>>,
) => { readonly to: string } | 'removed' | undefined;

/** What the lines of a server that ended contain. */
interface Content {
  readonly origins: Readonly<Record<string, Origin>>;
  readonly waiting: readonly Leftover[];
  readonly losses: ReadonlyMap<string, LossData>;
}

export function leftoversIn(lines: readonly Line[], now: Date, route: Route): Leftovers {
  const { origins, waiting, losses } = contentOf(lines);
  const fresh = waiting.filter(
    ({ notification }) => now.getTime() - notification.time < MAX_AGE_DAYS * DAY_MS,
  );
  const expired = waiting.length - fresh.length;
  let removed = 0;
  const taken: Leftover[] = [];
  const rest: Line[] = [];
  for (const { notification, sinks } of fresh) {
    const [own, foreign] = [new Map<string, Stage>(), new Map<string, Stage>()];
    for (const [sink, stage] of sinks) {
      const routed = route(sink, origins);
      if (routed === undefined) foreign.set(sink, stage);
      else if (routed === 'removed') removed += 1;
      else own.set(routed.to, stage);
    }
    if (own.size > 0) taken.push({ notification, sinks: own });
    if (foreign.size > 0) {
      rest.push({ accepted: rest.length + 1, sinks: Object.fromEntries(foreign), notification });
    }
  }
  const takenLosses = new Map<string, LossData>();
  for (const [sink, lost] of losses) {
    const routed = route(sink, origins);
    if (routed === undefined) rest.push({ lost, sink, done: [] });
    else if (routed === 'removed') removed += countLost(lost);
    else takenLosses.set(routed.to, mergedLosses(takenLosses.get(routed.to), lost));
  }
  const isWanted = taken.length + takenLosses.size + expired + removed > 0 || rest.length === 0;
  return {
    notifications: taken,
    losses: takenLosses,
    expired,
    removed,
    rest: rest.length === 0 ? [] : [{ origins }, ...rest],
    isWanted,
  };
}

function contentOf(lines: readonly Line[]): Content {
  let origins: Readonly<Record<string, Origin>> = {};
  const pending = new Map<
    number,
    { readonly notification: Notification; readonly sinks: Map<string, Stage> }
  >();
  const losses = new Map<string, LossData>();
  for (const line of lines) {
    if ('accepted' in line) {
      const { notification, sinks } = line;
      pending.set(line.accepted, { notification, sinks: new Map(Object.entries(sinks)) });
    } else if ('origins' in line) {
      ({ origins } = line);
    } else if ('reported' in line) {
      losses.delete(line.reported);
    } else if ('moved' in line) {
      for (const { sinks } of pending.values()) rename(sinks, line.moved, line.to);
      rename(losses, line.moved, line.to);
    } else {
      if ('lost' in line) losses.set(line.sink, mergedLosses(losses.get(line.sink), line.lost));
      for (const ticket of line.done) pending.get(ticket)?.sinks.delete(line.sink);
    }
  }
  return { origins, waiting: [...pending.values()].filter(({ sinks }) => sinks.size > 0), losses };
}

export function rename<Value>(map: Map<string, Value>, from: string, to: string): void {
  const value = map.get(from);
  if (value === undefined) return;
  map.delete(from);
  map.set(to, value);
}

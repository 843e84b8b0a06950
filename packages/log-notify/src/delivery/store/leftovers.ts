import { countLost, type Losses, mergedLosses } from '../../notification/losses.ts';
import type { Notification } from '../../notification/notification.ts';
import { DAY_MS, MAX_AGE_DAYS } from '../attempts.ts';
import type { Line, Origin, Stage } from './lines.ts';

/** A notification that a server that ended did not deliver. */
export interface Leftover {
  readonly notification: Notification;
  /** By key of the sink of this server that shall get it. */
  readonly sinks: ReadonlyMap<string, Waiting>;
}

interface Waiting {
  readonly stage: Stage;
  readonly attempts: number;
}

export interface Leftovers {
  readonly notifications: readonly Leftover[];
  /** By key of a sink of this server. */
  readonly losses: ReadonlyMap<string, Losses>;
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
  readonly losses: ReadonlyMap<string, Losses>;
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
    const own = new Map<string, Waiting>();
    const foreign = new Map<string, Waiting>();
    for (const [sink, waiting] of sinks) {
      const routed = route(sink, origins);
      if (routed === undefined) foreign.set(sink, waiting);
      else if (routed === 'removed') removed += 1;
      else own.set(routed.to, waiting);
    }
    if (own.size > 0) taken.push({ notification, sinks: own });
    if (foreign.size > 0) rest.push(...linesOf(notification, foreign));
  }
  const takenLosses = new Map<string, Losses>();
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

/** What a file says of a notification that waits. */
export function linesOf(notification: Notification, sinks: ReadonlyMap<string, Waiting>): readonly Line[] {
  const { id } = notification;
  const waiting = [...sinks];
  return [
    {
      accepted: id,
      sinks: Object.fromEntries(waiting.map(([sink, { stage }]) => [sink, stage])),
      notification,
    },
    ...waiting.flatMap(([sink, { attempts }]) => (attempts === 0 ? [] : [{ attempts, sink, of: [id] }])),
  ];
}

function contentOf(lines: readonly Line[]): Content {
  let origins: Readonly<Record<string, Origin>> = {};
  const pending = new Map<
    string,
    { readonly notification: Notification; readonly sinks: Map<string, Waiting> }
  >();
  const losses = new Map<string, Losses>();
  for (const line of lines) {
    if ('accepted' in line) {
      const { accepted, notification } = line;
      const sinks = Object.entries(line.sinks).map(
        ([sink, stage]) => [sink, { stage, attempts: 0 }] as const,
      );
      pending.set(accepted, { notification, sinks: new Map(sinks) });
    } else if ('origins' in line) {
      ({ origins } = line);
    } else if ('reported' in line) {
      losses.delete(line.reported);
    } else if ('moved' in line) {
      for (const { sinks } of pending.values()) rename(sinks, line.moved, line.to);
      rename(losses, line.moved, line.to);
    } else if ('attempts' in line) {
      for (const id of line.of) {
        const { sinks } = pending.get(id) ?? {};
        const waiting = sinks?.get(line.sink);
        if (waiting !== undefined) sinks?.set(line.sink, { ...waiting, attempts: line.attempts });
      }
    } else {
      if ('lost' in line) losses.set(line.sink, mergedLosses(losses.get(line.sink), line.lost));
      for (const id of line.done) pending.get(id)?.sinks.delete(line.sink);
    }
  }
  return { origins, waiting: [...pending.values()].filter(({ sinks }) => sinks.size > 0), losses };
}

function rename<Value>(map: Map<string, Value>, from: string, to: string): void {
  const value = map.get(from);
  if (value === undefined) return;
  map.delete(from);
  map.set(to, value);
}

import { type Clock, parsedJson } from '@deskside/core/base';
import * as z from 'zod';
import type { Journal } from '../journal/records.ts';

const MINUTE_MS = 60_000;
const MINUTES_PER_DAY = 24 * 60;
const LONGEST_MS = 12 * 60 * MINUTE_MS;
/** How often what "Not now" holds looks whether it may go on: another process, or the person, may end it sooner. */
export const QUIET_LOOK_MS = 5000;

/** How long agents do not interrupt the person. `until-back` ends when the person is active after a pause. */
export const QUIET_PERIODS_MS = {
  '15m': 15 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  'until-back': LONGEST_MS,
} as const;

export type QuietPeriod = keyof typeof QUIET_PERIODS_MS;

/** What is not valid silences no agent. */
const entriesSchema = z
  .array(
    z.object({
      /** As people read the caller; undefined: all agents. */
      agent: z.string().exactOptional(),
      until: z.iso.datetime(),
      isUntilBack: z.boolean(),
    }),
  )
  .catch([]);

type Entry = Readonly<z.output<typeof entriesSchema>[number]>;

const NAME = 'quiet';
const HOURS_NAME = 'quiet-hours';

/** A part of every day, in minutes after local midnight; it may span midnight. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
}

/** @returns milliseconds until quiet hours end; 0 outside them */
export function quietHoursLeftMs({ from, to }: QuietHours, now: Date): number {
  const minute = now.getHours() * 60 + now.getMinutes();
  const sinceStart = (minute - from + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  const length = (to - from + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  if (sinceStart >= length) return 0;
  const end = new Date(now);
  end.setHours(0, to, 0, 0);
  // Calendar arithmetic: a day can have 23 or 25 hours.
  if (end <= now) end.setDate(end.getDate() + 1);
  return end.getTime() - now.getTime();
}

/** "Not now": for which agents, and until when. It is read at each question. */
export class Quiet {
  readonly #store: Pick<Journal, 'state' | 'changeState'>;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(store: Pick<Journal, 'state' | 'changeState'>, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#clock = clock;
  }

  /** What holds now. */
  get entries(): readonly Entry[] {
    return this.#entriesIn(this.#store.state(NAME));
  }

  /**
   * Milliseconds for which this agent does not interrupt; 0 if it may.
   *
   * @param agent as people read the caller; undefined: the longest time of any agent
   */
  leftMs(agent?: string): number {
    const held = this.entries.filter(
      (entry) => agent === undefined || entry.agent === undefined || entry.agent === agent,
    );
    return Math.max(0, ...held.map(({ until }) => Date.parse(until) - this.#clock.now().getTime()));
  }

  get isUntilBack(): boolean {
    return this.entries.some(({ isUntilBack }) => isUntilBack);
  }

  /** @param agent undefined: all agents */
  begin(period: QuietPeriod, agent?: string): void {
    const until = new Date(this.#clock.now().getTime() + QUIET_PERIODS_MS[period]).toISOString();
    const entry = { until, isUntilBack: period === 'until-back', ...(agent === undefined ? {} : { agent }) };
    this.#change((entries) => [...entries.filter((each) => each.agent !== agent), entry]);
  }

  /**
   * The person is back.
   *
   * @param beforeMs what began later holds on, in milliseconds since the epoch
   */
  back(beforeMs = Infinity): void {
    const isOver = ({ until, isUntilBack }: Entry) =>
      isUntilBack && Date.parse(until) - QUIET_PERIODS_MS['until-back'] <= beforeMs;
    this.#change((entries) => entries.filter((each) => !isOver(each)));
  }

  /** @param agent undefined: all agents */
  end(agent?: string): void {
    this.#change((entries) => entries.filter((each) => agent !== undefined && each.agent !== agent));
  }

  /** The quiet hours in the person's configuration. */
  keepHours(hours: QuietHours | undefined): void {
    this.#store.changeState(HOURS_NAME, () => (hours === undefined ? '' : `${hours.from} ${hours.to}`));
  }

  /** True if this agent makes no sound now: "Not now", or quiet hours. */
  isSilent(agent: string): boolean {
    const [from = 0, to = from] = (this.#store.state(HOURS_NAME) ?? '').split(' ').map(Number);
    return this.leftMs(agent) > 0 || quietHoursLeftMs({ from, to }, this.#clock.now()) > 0;
  }

  #entriesIn(text = ''): readonly Entry[] {
    const nowMs = this.#clock.now().getTime();
    return entriesSchema.parse(parsedJson(text)).filter(({ until }) => {
      const leftMs = Date.parse(until) - nowMs;
      // The clock of the machine may have been set back.
      return leftMs > 0 && leftMs <= LONGEST_MS;
    });
  }

  #change(change: (entries: readonly Entry[]) => readonly Entry[]): void {
    this.#store.changeState(NAME, (before) => JSON.stringify(change(this.#entriesIn(before))));
  }
}

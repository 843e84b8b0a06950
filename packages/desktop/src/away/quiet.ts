import { type Clock, isObject, parsedJson } from '@deskside/core/base';
import type { Journal } from '../journal/records.ts';

const MINUTE_MS = 60_000;
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

interface Entry {
  /** As people read the caller; undefined: all agents. */
  readonly agent?: string;
  /** ISO 8601, in UTC. */
  readonly until: string;
  readonly isUntilBack: boolean;
}

/** Where it is stored: what all processes of the user share. */
export type QuietStore = Pick<Journal, 'state' | 'setState'>;

const NAME = 'quiet';

/** "Not now": for which agents, and until when. It is read at each question. */
export class Quiet {
  readonly #store: QuietStore;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(store: QuietStore, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#clock = clock;
  }

  /** What holds now. */
  get entries(): readonly Entry[] {
    const nowMs = this.#clock.now().getTime();
    return entriesIn(this.#store.state(NAME)).filter(({ until }) => {
      const leftMs = Date.parse(until) - nowMs;
      // The clock of the machine may have been set back.
      return leftMs > 0 && leftMs <= LONGEST_MS;
    });
  }

  /**
   * Milliseconds for which this agent does not interrupt; 0 if it may.
   *
   * @param agent as people read the caller; undefined: the longest time of any agent
   */
  leftMs(agent?: string): number {
    const nowMs = this.#clock.now().getTime();
    const held = this.entries.filter(
      (entry) => agent === undefined || entry.agent === undefined || entry.agent === agent,
    );
    return Math.max(0, ...held.map(({ until }) => Date.parse(until) - nowMs));
  }

  get isUntilBack(): boolean {
    return this.entries.some(({ isUntilBack }) => isUntilBack);
  }

  /** @param agent undefined: all agents */
  begin(period: QuietPeriod, agent?: string): void {
    const until = new Date(this.#clock.now().getTime() + QUIET_PERIODS_MS[period]).toISOString();
    const entry = { until, isUntilBack: period === 'until-back', ...(agent === undefined ? {} : { agent }) };
    this.#write([...this.entries.filter((each) => each.agent !== agent), entry]);
  }

  /**
   * The person is back.
   *
   * @param beforeMs what began later holds on, in milliseconds since the epoch
   */
  back(beforeMs = Infinity): void {
    const isOver = ({ until, isUntilBack }: Entry) =>
      isUntilBack && Date.parse(until) - QUIET_PERIODS_MS['until-back'] <= beforeMs;
    this.#write(this.entries.filter((each) => !isOver(each)));
  }

  /** @param agent undefined: all agents */
  end(agent?: string): void {
    this.#write(agent === undefined ? [] : this.entries.filter((each) => each.agent !== agent));
  }

  #write(entries: readonly Entry[]): void {
    this.#store.setState(NAME, JSON.stringify(entries));
  }
}

/** What is not valid silences no agent. */
function entriesIn(stored = '[]'): readonly Entry[] {
  const value = parsedJson(stored);
  return Array.isArray(value) ? value.filter((each) => isEntry(each)) : [];
}

function isEntry(value: unknown): value is Entry {
  return (
    isObject(value) &&
    typeof value['until'] === 'string' &&
    typeof value['isUntilBack'] === 'boolean' &&
    ['string', 'undefined'].includes(typeof value['agent'])
  );
}

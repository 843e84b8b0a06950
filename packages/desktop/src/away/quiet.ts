import { readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Clock } from '@deskside/core/base';
import { replaceFile, privacyProblem, isObject } from '@deskside/core/base';

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

interface Stored {
  readonly entries: readonly Entry[];
  /** When the file was written last; undefined without one. */
  readonly writtenMs: number | undefined;
}

/** "Not now": for which agents, and until when. The file is small, and is read at each question. */
export class Quiet {
  readonly #file: string | undefined;
  readonly #clock: Pick<Clock, 'now'>;
  /** What could not be written holds in this process until another one writes the file. */
  #unwritten: Stored | undefined;

  /** @param file undefined: only this process knows */
  constructor(file: string | undefined, clock: Pick<Clock, 'now'>) {
    this.#file = file;
    this.#clock = clock;
  }

  /** What holds now. */
  get entries(): readonly Entry[] {
    const stored = this.#stored();
    if (this.#unwritten?.writtenMs !== stored.writtenMs) this.#unwritten = undefined;
    return this.#inTime((this.#unwritten ?? stored).entries);
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

  /** Also true if the file still says so because an end could not be written: the next return writes it. */
  get isUntilBack(): boolean {
    return [...this.entries, ...this.#inTime(this.#stored().entries)].some(({ isUntilBack }) => isUntilBack);
  }

  /** @param agent undefined: all agents */
  async begin(period: QuietPeriod, agent?: string): Promise<void> {
    const until = new Date(this.#clock.now().getTime() + QUIET_PERIODS_MS[period]).toISOString();
    const entry = { until, isUntilBack: period === 'until-back', ...(agent === undefined ? {} : { agent }) };
    await this.#write([...this.entries.filter((each) => each.agent !== agent), entry]);
  }

  /**
   * The person is back.
   *
   * @param beforeMs what began later holds on, in milliseconds since the epoch
   */
  async back(beforeMs = Infinity): Promise<void> {
    const isOver = ({ until, isUntilBack }: Entry) =>
      isUntilBack && Date.parse(until) - QUIET_PERIODS_MS['until-back'] <= beforeMs;
    await this.#write(this.entries.filter((each) => !isOver(each)));
  }

  /** @param agent undefined: all agents */
  async end(agent?: string): Promise<void> {
    await this.#write(agent === undefined ? [] : this.entries.filter((each) => each.agent !== agent));
  }

  #inTime(entries: readonly Entry[]): readonly Entry[] {
    const nowMs = this.#clock.now().getTime();
    return entries.filter(({ until }) => {
      const leftMs = Date.parse(until) - nowMs;
      // The clock of the machine may have been set back.
      return leftMs > 0 && leftMs <= LONGEST_MS;
    });
  }

  /** A file that cannot be read, or that others can write, silences no agent. */
  #stored(): Stored {
    const file = this.#file ?? '';
    try {
      const stats = statSync(file);
      const isPrivate = privacyProblem(file, stats) === undefined;
      return { entries: isPrivate ? entriesIn(file) : [], writtenMs: stats.mtimeMs };
    } catch {
      return { entries: [], writtenMs: undefined };
    }
  }

  async #write(entries: readonly Entry[]): Promise<void> {
    const file = this.#file;
    this.#unwritten = { ...this.#stored(), entries };
    if (file === undefined) return;
    const replace = () => replaceFile(file, JSON.stringify(entries));
    // An empty file needs no place on a full disk.
    await (entries.length === 0 ? writeFile(file, '', { mode: 0o600 }).catch(replace) : replace());
    this.#unwritten = undefined;
  }
}

function entriesIn(file: string): readonly Entry[] {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(value) ? value.filter((each) => isEntry(each)) : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is Entry {
  return (
    isObject(value) &&
    typeof value['until'] === 'string' &&
    typeof value['isUntilBack'] === 'boolean' &&
    ['string', 'undefined'].includes(typeof value['agent'])
  );
}

import { type Overrides, planOf, type SinkPlan, type SinkTarget } from '../configuration/plan.ts';
import { readConfiguration } from '../configuration/read-configuration.ts';
import { type Configuration, nothingConfigured } from '../configuration/schema.ts';
import { watchFile } from '../configuration/watch-file.ts';
import { type Filter, filterOf } from '../filter/filter.ts';
import { type Notification, notification, type Spoken } from '../message/notification.ts';
import type { Sink } from '../sinks/sink.ts';
import type { Clock } from './clock.ts';
import { Lane } from './lane.ts';
import type { Reason } from './policy.ts';

/** Milliseconds in which what waits at the end is still delivered: a server that ends has 400 to clean up. */
const CLOSE_MS = 300;

/** What became of a notification when it was handed over. */
export interface Receipt {
  /** Sinks that took it, and worked when they were last used. */
  readonly delivered: readonly string[];
  /** Sinks that did not, each with its reason. */
  readonly suppressed: Readonly<Record<string, Reason>>;
}

export interface SwitchboardSetup {
  /** The TOML file. */
  readonly config: string;
  /** That it is reported where it is not there. */
  readonly mustExist: boolean;
  readonly overrides: Overrides;
  readonly defaultFile: string;
  readonly clock: Clock;
  readonly open: (target: SinkTarget) => Sink;
  /** One sentence for the server's log. */
  readonly report: (sentence: string) => void;
}

interface OpenLane {
  /** Tells whether a new plan is the same. */
  readonly key: string;
  readonly lane: Lane;
}

/** All sinks as the configuration wants them now; it is read again whenever the file changes. */
export class Switchboard {
  readonly #setup: SwitchboardSetup;
  #filter: Filter = () => true;
  #lanes: readonly OpenLane[] = [];
  #retiring: readonly Promise<void>[] = [];
  readonly #unwatch: () => void;

  constructor(setup: SwitchboardSetup) {
    this.#setup = setup;
    this.#unwatch = watchFile(setup.config, () => {
      this.#read();
      setup.report('The configuration was read again.');
    });
    this.#read(nothingConfigured);
  }

  /** Hands a notification to every sink that is to have it; returns at once, whatever they do. */
  notify(spoken: Spoken): Receipt {
    const told = notification(spoken, this.#setup.clock.now());
    const outcomes = this.#lanes.map(({ lane }) => [lane.name, this.#offer(told, lane)] as const);
    return {
      delivered: outcomes.filter(([, reason]) => reason === undefined).map(([name]) => name),
      suppressed: Object.fromEntries(
        outcomes.flatMap(([name, reason]) => (reason === undefined ? [] : [[name, reason]])),
      ),
    };
  }

  /** Resolves when nothing is on its way; sinks whose last try failed, each with why. */
  async settled(): Promise<ReadonlyMap<string, string>> {
    await Promise.all(this.#lanes.map(({ lane }) => lane.idle()));
    return new Map(
      this.#lanes.flatMap(({ lane }) => (lane.failure === undefined ? [] : [[lane.name, lane.failure]])),
    );
  }

  async close(): Promise<void> {
    this.#unwatch();
    await Promise.all([...this.#lanes.map(({ lane }) => this.#retire(lane)), ...this.#retiring]);
  }

  #offer(told: Notification, lane: Lane): Reason | undefined {
    return this.#filter(told.level, told.context) ? lane.offer(told) : 'filter';
  }

  /** @param otherwise what holds where the file can't be read; by default, what held before */
  #read(otherwise?: Configuration): void {
    const { config, mustExist, report } = this.#setup;
    const { configuration = otherwise, problems } = readConfiguration(config, mustExist);
    for (const problem of problems) report(`${config}: ${problem}`);
    if (configuration !== undefined) this.#apply(configuration);
  }

  /** Sinks whose plan is unchanged keep their queues; the others finish what they have. */
  #apply(configuration: Configuration): void {
    const { config, overrides, defaultFile, report } = this.#setup;
    const { directives, sinks, problems } = planOf(configuration, overrides, defaultFile);
    for (const problem of problems) report(`${config}: ${problem}`);
    this.#filter = filterOf(directives);
    const before = this.#lanes;
    this.#lanes = sinks.map((sink) => {
      const key = JSON.stringify(sink);
      return before.find((open) => open.key === key) ?? { key, lane: this.#open(sink) };
    });
    const gone = before.filter((open) => !this.#lanes.includes(open));
    this.#retiring = gone.map(({ lane }) => this.#retire(lane));
  }

  #open({ name, policy, target }: SinkPlan): Lane {
    const { clock, open, report } = this.#setup;
    return new Lane({ name, policy, sink: open(target), clock, report });
  }

  async #retire(lane: Lane): Promise<void> {
    await lane.close(CLOSE_MS).catch(() => this.#setup.report(`${lane.name} was not closed cleanly.`));
  }
}

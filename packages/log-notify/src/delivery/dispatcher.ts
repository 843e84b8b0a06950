import { readConfiguration, watchFile } from '../config/config-file.ts';
import { type Overrides, type SinkPlan, type SinkTarget, buildPlan } from '../config/plan.ts';
import { type Configuration, emptyConfiguration } from '../config/schema.ts';
import { type Filter, createFilter } from '../filter/filter.ts';
import {
  type Notification,
  type NotificationInput,
  createNotification,
} from '../notification/notification.ts';
import type { Sink } from '../sinks/sink.ts';
import type { Clock } from './clock.ts';
import { SinkQueue } from './sink-queue.ts';
import type { Reason } from './throttle.ts';

/** Time for the last deliveries on close: a server that ends has 400 ms for its cleanup. */
const CLOSE_TIMEOUT_MS = 300;

/** What happened to a notification when it was handed over. */
export interface Receipt {
  /** Sinks that accepted it and whose last delivery worked. */
  readonly delivered: readonly string[];
  /** The other sinks, each with the reason. */
  readonly suppressed: Readonly<Record<string, Reason>>;
}

export interface DispatcherOptions {
  /** Path of the TOML file. */
  readonly config: string;
  /** Report a missing file. */
  readonly mustExist: boolean;
  readonly overrides: Overrides;
  /** Path of the JSON lines file if nothing else names one. */
  readonly defaultFile: string;
  readonly clock: Clock;
  readonly open: (target: SinkTarget) => Sink;
  /** Receives one sentence for the server's log. */
  readonly report: (sentence: string) => void;
}

interface OpenQueue {
  /** The plan as JSON: equal keys mean an unchanged plan. */
  readonly key: string;
  readonly queue: SinkQueue;
}

/** Sends notifications to the sinks of the configuration and reloads it when the file changes. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  #filter: Filter = () => true;
  #queues: readonly OpenQueue[] = [];
  #retiring: readonly Promise<void>[] = [];
  readonly #unwatch: () => void;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#unwatch = watchFile(options.config, () => {
      this.#load();
      options.report('The configuration was reloaded.');
    });
    this.#load(emptyConfiguration);
  }

  /** Queues a notification for every sink. Returns at once and does not wait for any sink. */
  notify(input: NotificationInput): Receipt {
    const accepted = createNotification(input, this.#options.clock.now());
    const outcomes = this.#queues.map(({ queue }) => [queue.name, this.#offer(accepted, queue)] as const);
    return {
      delivered: outcomes.filter(([, reason]) => reason === undefined).map(([name]) => name),
      suppressed: Object.fromEntries(
        outcomes.flatMap(([name, reason]) => (reason === undefined ? [] : [[name, reason]])),
      ),
    };
  }

  /** Resolves when all queues are idle, with the failure of each sink whose last delivery failed. */
  async settled(): Promise<ReadonlyMap<string, string>> {
    await Promise.all(this.#queues.map(({ queue }) => queue.idle()));
    return new Map(
      this.#queues.flatMap(({ queue }) => (queue.failure === undefined ? [] : [[queue.name, queue.failure]])),
    );
  }

  async close(): Promise<void> {
    this.#unwatch();
    await Promise.all([...this.#queues.map(({ queue }) => this.#retire(queue)), ...this.#retiring]);
  }

  #offer(accepted: Notification, queue: SinkQueue): Reason | undefined {
    return this.#filter(accepted.level, accepted.context) ? queue.offer(accepted) : 'filter';
  }

  /** @param fallback used if the file is unusable; without it, the present configuration stays */
  #load(fallback?: Configuration): void {
    const { config, mustExist, report } = this.#options;
    const { configuration = fallback, problems } = readConfiguration(config, mustExist);
    for (const problem of problems) report(`${config}: ${problem}`);
    if (configuration !== undefined) this.#apply(configuration);
  }

  /** Queues with an unchanged plan stay. The others are closed. */
  #apply(configuration: Configuration): void {
    const { config, overrides, defaultFile, report } = this.#options;
    const { directives, sinks, problems } = buildPlan(configuration, overrides, defaultFile);
    for (const problem of problems) report(`${config}: ${problem}`);
    this.#filter = createFilter(directives);
    const before = this.#queues;
    this.#queues = sinks.map((sink) => {
      const key = JSON.stringify(sink);
      return before.find((open) => open.key === key) ?? { key, queue: this.#open(sink) };
    });
    const removed = before.filter((open) => !this.#queues.includes(open));
    this.#retiring = removed.map(({ queue }) => this.#retire(queue));
  }

  #open({ name, policy, target }: SinkPlan): SinkQueue {
    const { clock, open, report } = this.#options;
    return new SinkQueue({ name, policy, sink: open(target), clock, report });
  }

  async #retire(queue: SinkQueue): Promise<void> {
    await queue
      .close(CLOSE_TIMEOUT_MS)
      .catch(() => this.#options.report(`${queue.name} was not closed cleanly.`));
  }
}

import { networkInterfaces } from 'node:os';
import type { Scheduler } from '@deskside/core/base';
import { messageOf } from '@deskside/core/errors';
import { readConfiguration, watchFile } from '../config/config-file.ts';
import { type Filter, createFilter } from '../config/filter.ts';
import { type Configuration, emptyConfiguration } from '../config/parse-config.ts';
import { buildPlan, type Overrides, type SinkPlan } from '../config/plan.ts';
import { type Rule, ruleFor } from '../config/rules.ts';
import {
  type Notification,
  type NotificationInput,
  createNotification,
} from '../notification/notification.ts';
import { subjectText } from '../notification/summary.ts';
import type { Sink } from '../sinks/sink.ts';
import { type Deliveries, type FreeRows, MAX_AGE_DAYS } from './deliveries.ts';
import { isShownSoon, type Outcome, type Receipt, receiptOf } from './receipt.ts';
import { type Reason, SinkDelivery } from './sink-delivery.ts';
import { within } from './within.ts';

/** Time for the last deliveries on close. */
const CLOSE_TIMEOUT_MS = 3000;

/** How long an answer waits for those of the sinks to "do you show it?". */
const LOOK_TIMEOUT_MS = 400;

/** How long an answer waits for another process that holds the database. */
const STORE_TIMEOUT_MS = 2000;

/** How often this process looks for what processes that have ended did not deliver. */
const CLAIM_PERIOD_MS = 60_000;

export interface DispatcherOptions {
  /** Path of the TOML file. */
  readonly config: string;
  /** Report a missing file. */
  readonly mustExist: boolean;
  readonly overrides: Overrides;
  /** Path of the JSON lines file if nothing else names one. */
  readonly defaultFile: string;
  readonly clock: Scheduler;
  readonly deliveries: Deliveries;
  readonly open: (plan: Pick<SinkPlan, 'definition' | 'settings'>) => Sink;
  /** Receives one sentence for the server's log. */
  readonly report: (sentence: string) => void;
  /** How long the person has not used the computer, for rules that ask for it. */
  readonly idleMs?: () => Promise<number | undefined>;
  /** True if the person has seen a notification, in any process. */
  readonly isSeen?: (id: string) => Promise<boolean>;
  /** Called with those of the configuration, for what else makes a sound. */
  readonly onQuietHours?: (hours: Configuration['quietHours']) => void;
  /** Called after the configuration was reloaded. */
  readonly onReload?: () => void;
}

/** Where the settings of a sink are. A sink with a new target in the same place is the same sink, corrected. */
interface Origin {
  /** Path of the configuration file. */
  readonly config: string;
  readonly name: string;
  /** Of all sinks in the file. */
  readonly keys: readonly string[];
}

/** How the key of the terminal begins. It belongs to this process: no later one can deliver to it. */
const TERMINAL = 'stderr-';

/** Sends notifications to the sinks of the configuration and reloads it when the file changes. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  #filter: Filter = () => true;
  #rules: readonly Rule[] = [];
  #plans: readonly SinkPlan[] = [];
  #sinks: readonly SinkDelivery[] = [];
  /** The sinks of the configurations before this one have ended, and what is free was looked for. */
  #claimed: Promise<unknown> = Promise.resolve();
  #isClosing = false;
  /** A sink that is not in the file was removed. */
  #isFileComplete = false;
  readonly #unwatch: () => void;
  #cancelClaim: () => void = () => undefined;
  /** What a receiver could not be reached through may be another one now. */
  #network = networkAddresses();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#unwatch = watchFile(options.config, () => this.reload());
    this.#load(emptyConfiguration());
  }

  /** The sinks of the present configuration. */
  get plans(): readonly SinkPlan[] {
    return this.#plans;
  }

  /**
   * Stores a notification for every sink. Waits for no sink, except for the first outcome of one that has never delivered
   * anything.
   */
  async notify(input: NotificationInput): Promise<Receipt> {
    const accepted = createNotification(input, this.#options.clock.now().getTime());
    const needsIdle = this.#rules.some(({ away }) => away !== undefined);
    const outcomes = this.#offer(accepted, needsIdle ? await this.#options.idleMs?.() : undefined);
    await within(this.#options.clock, STORE_TIMEOUT_MS, this.#options.deliveries.stored());
    return receiptOf(outcomes, await this.#look(outcomes));
  }

  /** True if each of these sinks says what the person has seen. */
  tellSeen(names: readonly string[]): boolean {
    return names.every((name) =>
      this.#sinks.some((each) => each.plan.name === name && each.sink.tellsSeen?.() === true),
    );
  }

  /** Reads the configuration again. An unusable one changes nothing. */
  reload(): void {
    const { report, onReload } = this.#options;
    if (this.#load()) report('The configuration was reloaded.');
    onReload?.();
  }

  /** Resolves when nothing on the desktop waits for a click. */
  async clicked(): Promise<void> {
    await this.settled();
    await Promise.all(this.#sinks.map(async ({ sink }) => sink.clicked?.()));
  }

  /** Resolves when each sink has got what is due, or has failed. */
  async settled(): Promise<void> {
    await this.#claimed;
    await Promise.all(this.#sinks.map((each) => each.idle()));
  }

  /**
   * Delivers for a limited time. What remains is in the desk database.
   *
   * @returns for each sink that did not get everything, why
   */
  async close(): Promise<ReadonlyMap<string, string>> {
    this.#isClosing = true;
    this.#unwatch();
    this.#cancelClaim();
    const { deliveries, report, clock } = this.#options;
    await Promise.all(this.#sinks.map((each) => each.finish(CLOSE_TIMEOUT_MS)));
    const failures = new Map(
      this.#sinks
        .filter((each) => !each.isDone)
        .map((each) => [each.plan.name, each.failure ?? 'no answer in time']),
    );
    // The terminal is of this process.
    deliveries.forget(TERMINAL);
    const leave = async () => {
      const count = await deliveries.count();
      if (count > 0 && deliveries.isTemporary) {
        report(`${subjectText(count)} lost: the desk database cannot be written.`);
      } else if (count > 0) {
        report(`${count} ${count === 1 ? 'notification waits' : 'notifications wait'} for the next start.`);
      }
      deliveries.release();
      await deliveries.stored();
    };
    await within(clock, STORE_TIMEOUT_MS, leave());
    return failures;
  }

  #offer(accepted: Notification, idleMs: number | undefined): readonly Outcome[] {
    const isWanted = this.#filter(accepted.level, accepted.context);
    const rule = this.#rules[ruleFor(this.#rules, accepted, idleMs)];
    const named = (rule?.to ?? []).flatMap(
      (name) => this.#sinks.find(({ plan }) => plan.name === name) ?? [],
    );
    const later = rule?.escalate === undefined ? [] : named.slice(1);
    const offer = (each: SinkDelivery): Reason | undefined => {
      if (!isWanted) return 'filter';
      if (rule === undefined || each.plan.isLog) return each.offer(accepted);
      if (later.includes(each) && accepted.level === 'error') return 'unseen';
      return named.includes(each) && !later.includes(each) ? each.offer(accepted, true) : 'rule';
    };
    const first = this.#sinks.map((each) => [each, offer(each)] as const);
    // Nobody sees it elsewhere: with no terminal and no follower it is for the desktop.
    const isUnseen = !first.some(
      ([{ sink }, reason]) => isShownSoon(reason) && sink.unseen?.() === undefined,
    );
    const outcomes = first.map(([each, reason]) => {
      const isMore = isUnseen && reason === 'level';
      return [each, isMore ? each.offer(accepted, false, each.plan.policy.unseenLevel) : reason] as const;
    });
    const isTaken = outcomes.some(([each, reason]) => each === named[0] && isShownSoon(reason));
    const everyMs = rule?.escalate ?? 0;
    const unseen = later.filter((sink) =>
      outcomes.some(([each, reason]) => each === sink && reason === 'unseen'),
    );
    for (const [index, each] of unseen.entries()) {
      const due = accepted.time + everyMs * (index + (isTaken ? 1 : 0));
      each.add(accepted, { state: 'unseen', due, after: named[index]?.plan.key ?? null });
    }
    return outcomes;
  }

  /**
   * Waits for the first outcome of new sinks, and asks whether a person sees what the sinks take, for a limited time.
   *
   * @returns the sinks that have not answered
   */
  async #look(outcomes: readonly Outcome[]): Promise<ReadonlySet<SinkDelivery>> {
    const taking = outcomes.flatMap(([each, reason]) => (reason === undefined ? [each] : []));
    const asked = new Set(taking);
    const looks = taking.map(async (each) => {
      await each.sink.look?.();
      asked.delete(each);
    });
    await Promise.all([
      within(this.#options.clock, LOOK_TIMEOUT_MS, Promise.all(looks)),
      ...taking.map(async (each) => each.isWorking || each.firstOutcome()),
    ]);
    return asked;
  }

  /**
   * @param fallback used if the file is unusable; without it, the present configuration stays
   * @returns false if the file is unusable
   */
  #load(fallback?: Configuration): boolean {
    const { config, mustExist, report } = this.#options;
    const { configuration, problems, isComplete } = readConfiguration(config, mustExist);
    for (const problem of problems) report(`${config}: ${problem}`);
    this.#isFileComplete = isComplete;
    const applied = configuration ?? fallback;
    if (applied === undefined) report(`${config} is not used. The configuration before it still applies.`);
    else this.#apply(applied);
    return configuration !== undefined;
  }

  /** New sinks take the place of the present ones, and their rows: a new one has no failures, and may have another target. */
  #apply(configuration: Configuration): void {
    const { config, overrides, defaultFile, report, onQuietHours } = this.#options;
    onQuietHours?.(configuration.quietHours);
    const { directives, rules, sinks, problems } = buildPlan(configuration, overrides, defaultFile);
    this.#rules = rules;
    for (const problem of problems) report(`${config}: ${problem}`);
    this.#filter = createFilter(directives);
    const isKept = (sink: SinkDelivery) => sinks.some(({ key }) => key === sink.plan.key);
    const ended = Promise.all(
      this.#sinks.map((each) =>
        isKept(each) || each.failure !== undefined
          ? each.stop(CLOSE_TIMEOUT_MS)
          : each.finish(CLOSE_TIMEOUT_MS),
      ),
    );
    const keys = sinks.flatMap(({ key, isFromFile }) => (isFromFile ? [key] : []));
    this.#plans = sinks;
    this.#sinks = sinks.flatMap((plan) => {
      const origin: Origin = { config, name: plan.name, keys };
      return this.#open(plan, plan.isFromFile ? JSON.stringify(origin) : null, ended) ?? [];
    });
    this.#claimed = ended.then(async () => {
      // What waits for a sink that is not there any more is as that of an ended process.
      this.#options.deliveries.release(this.#sinks.map(({ plan }) => plan.key));
      return this.#claim();
    });
  }

  /** @returns undefined if the sink cannot be opened, which is reported */
  #open(plan: SinkPlan, origin: string | null, before: Promise<unknown>): SinkDelivery | undefined {
    const { clock, open, report, deliveries, config, isSeen } = this.#options;
    const failed = () => {
      for (const each of this.#sinks) each.wake();
    };
    try {
      const sink = open(plan);
      return new SinkDelivery({ plan, origin, sink, deliveries, clock, report, failed, isSeen, before });
    } catch (error) {
      report(`${config}: ${plan.name}: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Takes over what processes that have ended did not deliver, now and each minute, and notices another network. */
  async #claim(): Promise<void> {
    const { clock, deliveries, report } = this.#options;
    const network = networkAddresses();
    for (const each of this.#sinks) each.look(network !== this.#network);
    this.#network = network;
    for (const free of await deliveries.free()) await this.#takeOver(free);
    const old = await deliveries.dropOld();
    if (old > 0) report(`${subjectText(old)} dropped after ${MAX_AGE_DAYS} days of waiting.`);
    deliveries.renew();
    this.#cancelClaim();
    if (this.#isClosing) return;
    this.#cancelClaim = clock.after(CLAIM_PERIOD_MS, () => void this.#claim(), { isBackground: true });
  }

  async #takeOver(free: FreeRows): Promise<void> {
    const { deliveries, report } = this.#options;
    const to = this.#routed(free.sink, free.origin === null ? undefined : JSON.parse(free.origin));
    if (to === undefined || this.#isClosing) return;
    if (to instanceof SinkDelivery) {
      deliveries.take(free, to.plan.key, to.origin);
      return to.wake();
    }
    const count = await deliveries.drop(free);
    if (to === 'removed' && count > 0)
      report(`${subjectText(count)} lost: the sink was removed from the configuration.`);
  }

  /**
   * Which sink gets what waits for a sink that nobody has now: the one with the same target, else the one whose target
   * was changed meanwhile, which has the same name in the same file, and a new target.
   *
   * @returns `removed` if none will ever get it; `ended` for a terminal; undefined if another process may have the sink
   */
  #routed(sink: string, origin: Origin | undefined): SinkDelivery | 'removed' | 'ended' | undefined {
    if (sink.startsWith(TERMINAL)) return 'ended';
    const sinkOf = (key: string) => this.#sinks.find(({ plan }) => plan.key === key);
    // If it is in the file, but cannot be opened, what waits is for the correction.
    if (this.#plans.some(({ key }) => key === sink)) return sinkOf(sink);
    const { config } = this.#options;
    if (origin?.config !== config) return undefined;
    const changed = this.#plans.find(
      ({ key, name, isFromFile }) => isFromFile && name === origin.name && !origin.keys.includes(key),
    );
    if (changed !== undefined) return sinkOf(changed.key);
    return this.#isFileComplete ? 'removed' : undefined;
  }
}

function networkAddresses(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.map(({ address }) => address).join(' ');
}

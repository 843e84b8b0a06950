import { networkInterfaces } from 'node:os';
import type { Scheduler } from '@deskside/core/base';
import { messageOf } from '@deskside/core/errors';
import type { Deliveries, FreeDeliveries } from '@deskside/desktop';
import { readConfiguration, watchFile } from '../config/config-file.ts';
import { type Overrides, type SinkPlan, type SinkTarget, buildPlan, isSameTarget } from '../config/plan.ts';
import { type Configuration, emptyConfiguration } from '../config/parse-config.ts';
import { type Rule, ruleFor } from '../config/rules.ts';
import { type Filter, createFilter } from '../config/filter.ts';
import {
  type Notification,
  type NotificationInput,
  createNotification,
} from '../notification/notification.ts';
import { subjectText } from '../notification/tally.ts';
import type { Sink } from '../sinks/sink.ts';
import { isLocal, isShownSoon, type Outcome, type Receipt, receiptOf } from './receipt.ts';
import { type Reason, SinkQueue } from './sink-queue.ts';
import { MAX_AGE_DAYS, MAX_AGE_MS, SinkRecords } from './sink-records.ts';
import { within } from './within.ts';

/** Time for the last deliveries on close. */
const CLOSE_TIMEOUT_MS = 3000;

/** How long an answer waits for those of the sinks to "do you show it?". */
const LOOK_TIMEOUT_MS = 400;

/** How long an answer waits for another process that holds the database. */
const STORE_TIMEOUT_MS = 2000;

/** How often this process looks for what processes that have ended did not deliver, and how soon after a failure. */
const CLAIM_PERIOD_MS = 60_000;
const CLAIM_RETRY_MS = 1000;

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
  readonly open: (target: SinkTarget) => Sink;
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
  #queues: readonly SinkQueue[] = [];
  readonly #retiring = new Set<Promise<void>>();
  #isClosing = false;
  /** A sink that is not in the file was removed. */
  #isFileComplete = false;
  readonly #unwatch: () => void;
  #cancelClaim: () => void = () => undefined;
  /** Wall time of the last round of `#claim`. */
  #claimedAtMs = -Infinity;
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
   * Stores a notification and queues it for every sink. Waits for no sink, except for the first outcome of one that has
   * never delivered anything.
   */
  async notify(input: NotificationInput): Promise<Receipt> {
    const accepted = createNotification(input, this.#options.clock.now().getTime());
    const needsIdle = this.#rules.some(({ away }) => away !== undefined);
    const outcomes = this.#offer(accepted, needsIdle ? await this.#options.idleMs?.() : undefined);
    await within(this.#options.clock, STORE_TIMEOUT_MS, this.#options.deliveries.stored());
    await Promise.all([this.#firstOutcomes(outcomes), this.#look(outcomes)]);
    return receiptOf(outcomes);
  }

  /** True if each of these sinks says what the person has seen. */
  tellSeen(names: readonly string[]): boolean {
    return names.every((name) =>
      this.#queues.some((queue) => queue.name === name && queue.sink.tellsSeen?.() === true),
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
    await Promise.all(this.#queues.map(async ({ sink }) => sink.clicked?.()));
  }

  /** Resolves when all queues are idle. */
  async settled(): Promise<void> {
    await Promise.all(this.#retiring);
    await Promise.all(this.#queues.map((queue) => queue.idle()));
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
    await Promise.all([
      ...this.#retiring,
      ...this.#queues.map(async (queue) => this.#end(queue, CLOSE_TIMEOUT_MS)),
    ]);
    const { deliveries, report, clock } = this.#options;
    const failures = new Map(
      this.#queues
        .filter((queue) => !queue.isEmpty)
        .map((queue) => [queue.name, queue.failure ?? 'no answer in time']),
    );
    // The terminal is of this process.
    for (const { key, records } of this.#queues) if (key.startsWith(TERMINAL)) records.forget();
    const [left] = deliveries.select('count(DISTINCT id) AS count', "state <> 'lost'") ?? [];
    const count = Number(left?.['count'] ?? 0);
    if (count > 0 && deliveries.isTemporary) {
      report(`${subjectText(count)} lost: the desk database cannot be written.`);
    } else if (count > 0) {
      report(`${count} ${count === 1 ? 'notification waits' : 'notifications wait'} for the next start.`);
    }
    deliveries.release();
    await within(clock, STORE_TIMEOUT_MS, deliveries.stored());
    return failures;
  }

  #offer(accepted: Notification, idleMs: number | undefined): readonly Outcome[] {
    const isWanted = this.#filter(accepted.level, accepted.context);
    const rule = this.#rules[ruleFor(this.#rules, accepted, idleMs)];
    const named = rule === undefined ? [] : inOrderOf(rule.to, this.#queues);
    const later = rule?.escalate === undefined ? [] : named.slice(1);
    const offer = (queue: SinkQueue): Reason | undefined => {
      if (!isWanted) return 'filter';
      if (rule === undefined || isLocal(queue)) return queue.offer(accepted);
      if (later.includes(queue) && accepted.level === 'error') return 'unseen';
      return named.includes(queue) && !later.includes(queue) ? queue.offer(accepted, true) : 'rule';
    };
    const first = this.#queues.map((queue) => [queue, offer(queue)] as const);
    // Nobody sees it elsewhere: with no terminal and no follower it is for the desktop.
    const isUnseen = !first.some(
      ([{ sink }, reason]) => isShownSoon(reason) && sink.unseen?.() === undefined,
    );
    const outcomes = first.map(([queue, reason]) => {
      const isMore = isUnseen && reason === 'level';
      return [queue, isMore ? queue.offer(accepted, false, queue.unseenLevel) : reason] as const;
    });
    const isTaken = outcomes.some(([queue, reason]) => queue === named[0] && isShownSoon(reason));
    const everyMs = rule?.escalate ?? 0;
    const unseen = later.filter((queue) =>
      outcomes.some(([each, reason]) => each === queue && reason === 'unseen'),
    );
    for (const [index, queue] of unseen.entries()) {
      const due = accepted.time + everyMs * (index + (isTaken ? 1 : 0));
      queue.records.add(accepted, 'unseen', { due, after: named[index]?.key ?? null });
      queue.wake();
    }
    return outcomes;
  }

  /** A sink could not deliver these: the next one of the rule gets them now, each further one as long after it as before. */
  #passOn(sink: string, ids: readonly string[]): void {
    const { deliveries, clock } = this.#options;
    const nowMs = clock.now().getTime();
    const next = deliveries.find("state = 'unseen' AND after = ? AND due > ?", sink, nowMs) ?? [];
    for (const { id, due } of next.filter((each) => ids.includes(each.id)))
      deliveries.update('due = due - ?', "state = 'unseen' AND id = ?", due - nowMs, id);
    if (next.length > 0) for (const queue of this.#queues) queue.wake();
  }

  async #firstOutcomes(outcomes: readonly Outcome[]): Promise<void> {
    const unproven = outcomes.filter(
      ([queue, reason]) => reason === undefined && !queue.isWorking && !isLocal(queue),
    );
    await Promise.all(unproven.map(([queue]) => queue.firstOutcome()));
  }

  /** Asks the sinks whether a person sees what they take, for a limited time. */
  async #look(outcomes: readonly Outcome[]): Promise<void> {
    const looks = outcomes.flatMap(([{ sink }, reason]) =>
      reason === undefined ? (sink.look?.() ?? []) : [],
    );
    if (looks.length > 0) await within(this.#options.clock, LOOK_TIMEOUT_MS, Promise.all(looks));
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

  /** A queue follows its target. What waits for a target that is not there any more is as that of an ended process. */
  #apply(configuration: Configuration): void {
    const { config, overrides, defaultFile, report, onQuietHours } = this.#options;
    onQuietHours?.(configuration.quietHours);
    const { directives, rules, sinks, problems } = buildPlan(configuration, overrides, defaultFile);
    this.#rules = rules;
    for (const problem of problems) report(`${config}: ${problem}`);
    this.#filter = createFilter(directives);
    const before = this.#queues;
    const keys = sinks.flatMap(({ key, isFromFile }) => (isFromFile ? [key] : []));
    this.#queues = sinks.flatMap((plan) => {
      const origin: Origin = { config, name: plan.name, keys };
      return this.#queueFor(plan, plan.isFromFile ? JSON.stringify(origin) : null) ?? [];
    });
    this.#plans = sinks;
    for (const queue of before.filter((each) => !this.#queues.includes(each))) this.#retire(queue);
    this.#claim();
  }

  /** @returns undefined if the sink cannot be opened, which is reported */
  #queueFor(plan: SinkPlan, origin: string | null): SinkQueue | undefined {
    const { clock, open, report, deliveries, config, isSeen } = this.#options;
    const { name, key, policy, target } = plan;
    try {
      const queue = this.#queues.find((each) => each.key === key);
      if (queue !== undefined) {
        const before = this.#plans.find((each) => each.key === key)?.target;
        const isSame = before !== undefined && isSameTarget(before, target);
        queue.update({ name, origin, policy, sink: isSame ? queue.sink : open(target) });
        return queue;
      }
      const records = new SinkRecords(key, origin, deliveries, clock);
      const failed = (ids: readonly string[]) => this.#passOn(key, ids);
      return new SinkQueue({ name, records, policy, sink: open(target), clock, report, failed, isSeen });
    } catch (error) {
      report(`${config}: ${name}: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** What waits is for the sink that has the place of this one now. */
  #retire(queue: SinkQueue): void {
    const retire = async () => {
      await this.#end(queue, queue.failure === undefined ? CLOSE_TIMEOUT_MS : 0);
      queue.records.release();
      if (!this.#isClosing) this.#claim();
    };
    const retired = retire().finally(() => this.#retiring.delete(retired));
    this.#retiring.add(retired);
  }

  async #end(queue: SinkQueue, timeoutMs: number): Promise<void> {
    await queue.close(timeoutMs).catch(() => this.#options.report(`${queue.name} was not closed cleanly.`));
  }

  /** Takes over what processes that have ended did not deliver, now and each minute, and notices another network. */
  #claim(): void {
    const { clock, deliveries } = this.#options;
    this.#cancelClaim();
    const network = networkAddresses();
    if (network !== this.#network) for (const queue of this.#queues) queue.retry();
    this.#network = network;
    const nowMs = clock.now().getTime();
    // After a sleep, the leases of processes that live are old too, until the next round of each.
    const isAwake = nowMs - this.#claimedAtMs <= 2 * CLAIM_PERIOD_MS;
    this.#claimedAtMs = nowMs;
    const free = deliveries.free(isAwake);
    for (const each of free ?? []) this.#takeOver(each);
    deliveries.renew();
    const delayMs = free === undefined ? CLAIM_RETRY_MS : CLAIM_PERIOD_MS;
    this.#cancelClaim = clock.after(delayMs, () => this.#claim(), { isBackground: true });
  }

  #takeOver(free: FreeDeliveries): void {
    const { deliveries, clock, report } = this.#options;
    const { sink } = free;
    const to = this.#routed(sink, free.origin === null ? undefined : JSON.parse(free.origin));
    if (to instanceof SinkQueue) {
      to.records.take(free);
      return to.wake();
    }
    const isTerminal = sink.startsWith(TERMINAL);
    const oldest = isTerminal || to === 'removed' ? Infinity : clock.now().getTime() - MAX_AGE_MS;
    const why =
      to === 'removed'
        ? 'lost: the sink was removed from the configuration'
        : `dropped after ${MAX_AGE_DAYS} days of waiting`;
    deliveries.drop(free, oldest, (count) => {
      if (count > 0 && !isTerminal) report(`${subjectText(count)} ${why}.`);
    });
  }

  /**
   * Which sink gets what waits for a sink that nobody has now: the one with the same target, else the one whose target
   * was changed meanwhile, which has the same name in the same file, and a new target.
   *
   * @returns `removed` if none will ever get it; undefined if another process may have the sink
   */
  #routed(sink: string, origin: Origin | undefined): SinkQueue | 'removed' | undefined {
    if (sink.startsWith(TERMINAL)) return undefined;
    const queueOf = (key: string | undefined) => this.#queues.find((queue) => queue.key === key);
    // If it is in the file, but cannot be opened, what waits is for the correction.
    if (this.#plans.some(({ key }) => key === sink)) return queueOf(sink);
    const { config } = this.#options;
    if (origin?.config !== config) return undefined;
    const changed = this.#plans.find(
      ({ key, name, isFromFile }) => isFromFile && name === origin.name && !origin.keys.includes(key),
    );
    if (changed !== undefined) return queueOf(changed.key);
    return this.#isFileComplete ? 'removed' : undefined;
  }
}

function networkAddresses(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.map(({ address }) => address).join(' ');
}

function inOrderOf(names: readonly string[], queues: readonly SinkQueue[]): readonly SinkQueue[] {
  return names.flatMap((name) => queues.find((queue) => queue.name === name) ?? []);
}

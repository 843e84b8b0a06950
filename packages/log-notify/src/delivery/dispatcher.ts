import { networkInterfaces } from 'node:os';
import type { Scheduler } from '@deskside/core/base';
import { messageOf } from '@deskside/core/errors';
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
import type { Sink } from '../sinks/sink.ts';
import { MAX_AGE_DAYS } from './attempts.ts';
import { Attention } from './attention.ts';
import { isLocal, isShownSoon, type Outcome, type Receipt, receiptOf } from './receipt.ts';
import { type Reason, SinkQueue } from './sink-queue.ts';
import type { Leftovers, Route } from './store/leftovers.ts';
import type { Origin } from './store/lines.ts';
import type { Store } from './store/store.ts';

/** Time for the last deliveries on close. */
const CLOSE_TIMEOUT_MS = 3000;

/** How long notifications wait for a sink that has delivered nothing yet, and for its answer to "do you show it?". */
const FIRST_OUTCOME_MS = 400;

/** How often this process looks for the spool files of servers that have ended. */
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
  readonly store: Store;
  readonly open: (target: SinkTarget) => Sink;
  /** Receives one sentence for the server's log. */
  readonly report: (sentence: string) => void;
  /** How long the person has not used the computer, for rules that ask for it. */
  readonly idleMs?: () => Promise<number | undefined>;
  /** True if the person has seen a notification, in any process. */
  readonly isSeen?: (id: string) => Promise<boolean>;
  /** Called after the configuration was reloaded. */
  readonly onReload?: () => void;
}

/** Sends notifications to the sinks of the configuration and reloads it when the file changes. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  #filter: Filter = () => true;
  #rules: readonly Rule[] = [];
  #plans: readonly SinkPlan[] = [];
  #queues: readonly SinkQueue[] = [];
  /** Their settings have a mistake: what waits is for the correction. */
  #paused: readonly SinkQueue[] = [];
  /** The first outcome of a queue, or the end of its time. All notifications that need it wait for the same one. */
  readonly #firstOutcome = new WeakMap<SinkQueue, Promise<void>>();
  #retiring = new Set<Promise<void>>();
  /** A sink that is not in the file was removed. */
  #isFileComplete = false;
  readonly #unwatch: () => void;
  #cancelClaim: () => void = () => undefined;
  /** Wall time of the last round of `#claim`. */
  #claimedAtMs = -Infinity;
  /** What a receiver could not be reached through may be another one now. */
  #network = networkAddresses();
  readonly #attention: Attention;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { clock, isSeen = async () => false } = options;
    this.#attention = new Attention(clock, isSeen);
    this.#unwatch = watchFile(options.config, () => this.reload());
    this.#load(emptyConfiguration());
    this.#claim();
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

  /** Resolves when all queues are idle, with the failure of each sink whose last delivery failed. */
  async settled(): Promise<ReadonlyMap<string, string>> {
    await Promise.all(this.#queues.map((queue) => queue.idle()));
    return new Map(
      this.#queues.flatMap((queue) => (queue.failure === undefined ? [] : [[queue.name, queue.failure]])),
    );
  }

  /**
   * Delivers for a limited time. What remains is in the spool.
   *
   * @returns for each sink that did not get everything, why
   */
  async close(): Promise<ReadonlyMap<string, string>> {
    this.#unwatch();
    this.#cancelClaim();
    this.#attention.close();
    for (const queue of [...this.#queues, ...this.#paused]) this.#retire(queue);
    await Promise.all(this.#retiring);
    const { store, report } = this.#options;
    store.close();
    const { count, unwritten: unstored } = store.waiting;
    const stored = count - unstored;
    if (stored > 0) {
      report(`${stored} ${stored === 1 ? 'notification waits' : 'notifications wait'} for the next start.`);
    }
    if (unstored > 0) report(`${counted(unstored)} lost: the spool is full, or cannot be written.`);
    return new Map(
      this.#queues
        .filter((queue) => queue.failure !== undefined || queue.records.count('queued') > 0)
        .map((queue) => [queue.name, queue.failure ?? 'no answer in time']),
    );
  }

  #offer(accepted: Notification, idleMs: number | undefined): readonly Outcome[] {
    const { store } = this.#options;
    const isWanted = this.#filter(accepted.level, accepted.context);
    const rule = this.#rules[ruleFor(this.#rules, accepted, idleMs)];
    const named = rule === undefined ? [] : inOrderOf(rule.to, this.#queues);
    const later = rule?.escalate === undefined ? [] : named.slice(1);
    const offer = (queue: SinkQueue): Reason | undefined => {
      if (!isWanted) return 'filter';
      if (rule === undefined || isLocal(queue)) return queue.offer(accepted);
      if (later.includes(queue) && accepted.level === 'error') {
        queue.records.add(accepted, 'unseen');
        return 'unseen';
      }
      return named.includes(queue) && !later.includes(queue) ? queue.offer(accepted, true) : 'rule';
    };
    const outcomes = this.#queues.map((queue) => [queue, offer(queue)] as const);
    // Deliveries start in a later turn, so the record is stored before any of them ends.
    store.accept(accepted);
    const next = later.filter((queue) =>
      outcomes.some(([each, reason]) => each === queue && reason === 'unseen'),
    );
    const isTaken = outcomes.some(([queue, reason]) => queue === named[0] && isShownSoon(reason));
    const everyMs = rule?.escalate ?? 0;
    const waitMs = isTaken ? everyMs : 0;
    this.#attention.escalate({ id: accepted.id, last: named[0], next, waitMs, everyMs });
    return outcomes;
  }

  async #firstOutcomes(outcomes: readonly Outcome[]): Promise<void> {
    const unproven = outcomes
      .filter(([queue, reason]) => reason === undefined && !queue.isWorking && !isLocal(queue))
      .map(([queue]) => this.#firstOutcome.get(queue) ?? this.#awaitFirstOutcome(queue));
    await Promise.all(unproven);
  }

  /** Asks the sinks whether a person sees what they take, for a limited time. */
  async #look(outcomes: readonly Outcome[]): Promise<void> {
    const looks = outcomes.flatMap(([{ sink }, reason]) =>
      reason === undefined ? (sink.look?.() ?? []) : [],
    );
    if (looks.length === 0) return;
    const late = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(FIRST_OUTCOME_MS, late.resolve, { isBackground: true });
    await Promise.race([Promise.all(looks), late.promise]);
    cancel();
  }

  #awaitFirstOutcome(queue: SinkQueue): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#firstOutcome.set(queue, promise);
    const cancel = this.#options.clock.after(FIRST_OUTCOME_MS, resolve, { isBackground: true });
    void queue.firstOutcome().then(resolve);
    void promise.then(cancel);
    return promise;
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

  /** A queue follows its target, else its name, so that a corrected URL gets what waits. */
  #apply(configuration: Configuration): void {
    const { config, overrides, defaultFile, report } = this.#options;
    const { directives, rules, sinks, problems } = buildPlan(configuration, overrides, defaultFile);
    this.#rules = rules;
    for (const problem of problems) report(`${config}: ${problem}`);
    this.#filter = createFilter(directives);
    const all = [...this.#queues, ...this.#paused];
    const before = new Set(all);
    const claim = (fits: (queue: SinkQueue) => boolean) => {
      const found = [...before].find(fits);
      if (found !== undefined) before.delete(found);
      return found;
    };
    const known = new Map(sinks.map((plan) => [plan, claim(({ key }) => key === plan.key)]));
    this.#queues = sinks.flatMap((plan) => {
      const queue = known.get(plan) ?? claim(({ name }) => name === plan.name);
      return this.#updated(plan, queue) ?? [];
    });
    this.#plans = sinks;
    this.#options.store.know(this.#origins());
    // In a file with mistakes it may still be there.
    const removed = this.#isFileComplete ? before : new Set<SinkQueue>();
    for (const queue of removed) this.#retire(queue, 'its sink was removed from the configuration');
    this.#paused = all.filter((queue) => !removed.has(queue) && !this.#queues.includes(queue));
    for (const queue of this.#paused) queue.pause();
  }

  /** @returns undefined if the sink cannot be opened, which is reported */
  #updated(plan: SinkPlan, queue: SinkQueue | undefined): SinkQueue | undefined {
    const { clock, open, report, store, config } = this.#options;
    const { name, key, policy, target } = plan;
    try {
      const before = this.#plans.find((each) => each.key === queue?.key)?.target;
      const isSame = before !== undefined && isSameTarget(before, target);
      const isOpen = queue !== undefined && !this.#paused.includes(queue);
      const sink = isOpen && isSame ? queue.sink : open(target);
      if (queue === undefined) {
        const records = store.sink(key);
        const failed = (ids: readonly string[]) => this.#attention.failed(records, ids);
        return new SinkQueue({ name, records, policy, sink, clock, report, failed });
      }
      queue.update({ name, key, policy, sink });
      return queue;
    } catch (error) {
      report(`${config}: ${name}: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** @param cause of the loss of what it does not deliver in time; undefined if a later start delivers it */
  #retire(queue: SinkQueue, cause?: string): void {
    const retire = async () => {
      await queue
        .close(CLOSE_TIMEOUT_MS)
        .catch(() => this.#options.report(`${queue.name} was not closed cleanly.`));
      if (cause !== undefined) this.#reportLost(queue, cause);
    };
    const retired = retire().finally(() => this.#retiring.delete(retired));
    this.#retiring.add(retired);
  }

  #reportLost(queue: SinkQueue, cause: string): void {
    const { size: count } = queue.records;
    queue.records.forget();
    if (count > 0) this.#options.report(`${queue.name}: ${counted(count)} lost because ${cause}.`);
  }

  /** Takes over what servers that have ended did not deliver, now and each minute, and notices another network. */
  #claim(): void {
    const { clock, store } = this.#options;
    store.touch();
    const network = networkAddresses();
    if (network !== this.#network) for (const queue of this.#queues) queue.retry();
    this.#network = network;
    const now = clock.now();
    // After a sleep, the files of servers that live are old too, until the next round of each.
    const isAwake = now.getTime() - this.#claimedAtMs <= 2 * CLAIM_PERIOD_MS;
    this.#claimedAtMs = now.getTime();
    store.claim(now, this.#route, (leftovers) => this.#restore(leftovers), isAwake);
    this.#cancelClaim = clock.after(CLAIM_PERIOD_MS, () => this.#claim(), { isBackground: true });
  }

  /** The sinks that come from the configuration file, by key. */
  #origins(): Readonly<Record<string, Origin>> {
    const { config } = this.#options;
    const fromFile = this.#plans.filter(({ isFromFile }) => isFromFile);
    return Object.fromEntries(fromFile.map(({ key, name }) => [key, { config, name }]));
  }

  /**
   * The sink with the same target, else the sink whose target was changed while no server ran: it has the same name in
   * the same file, and its target is new.
   */
  readonly #route: Route = (sink, origins) => {
    if (this.#queues.some(({ key }) => key === sink)) return { to: sink };
    // It is in the file, but cannot be opened: what waits is for the correction.
    if (this.#plans.some(({ key }) => key === sink)) return undefined;
    const { config } = this.#options;
    const origin = origins[sink];
    if (origin?.config !== config) return undefined;
    const changed = this.#plans.find(
      ({ key, name, isFromFile }) => isFromFile && name === origin.name && origins[key] === undefined,
    );
    const isOpen = this.#queues.some(({ key }) => key === changed?.key);
    if (changed !== undefined) return isOpen ? { to: changed.key } : undefined;
    return this.#isFileComplete ? 'removed' : undefined;
  };

  #restore({ notifications, losses, expired, removed }: Leftovers): void {
    const { store, report } = this.#options;
    const queueOf = new Map(this.#queues.map((queue) => [queue.key, queue]));
    for (const { notification, sinks } of notifications) {
      const next: SinkQueue[] = [];
      for (const [key, { stage, attempts }] of sinks) {
        const queue = queueOf.get(key);
        // A server that was killed while it took over a file leaves its contents in two.
        if (queue === undefined || queue.records.get(notification.id) !== undefined) continue;
        if (stage !== 'unseen') queue.restore(notification, stage, attempts);
        else {
          queue.records.add(notification, 'unseen');
          next.push(queue);
        }
      }
      store.accept(notification);
      const rule = this.#rules.find(
        (each) =>
          (each.escalate ?? 0) > 0 &&
          next.some(({ name }) => each.to.includes(name)) &&
          // How long the person was away then is not known any more.
          ruleFor([each], notification, Infinity) === 0,
      );
      const everyMs = rule?.escalate ?? 0;
      const ageMs = this.#options.clock.now().getTime() - notification.time;
      const named = rule === undefined ? next : inOrderOf(rule.to, this.#queues);
      const inOrder = named.filter((queue) => next.includes(queue));
      const place = named.findIndex((queue) => queue === inOrder[0]);
      const waitMs = Math.max(1, place) * everyMs - ageMs;
      const { id } = notification;
      this.#attention.escalate({ id, last: named[place - 1], next: inOrder, waitMs, everyMs });
    }
    for (const [key, lost] of losses) queueOf.get(key)?.restoreLosses(lost);
    if (removed > 0) report(`${counted(removed)} lost: the sink was removed from the configuration.`);
    if (expired > 0) report(`${counted(expired)} dropped after ${MAX_AGE_DAYS} days of waiting.`);
  }
}

function networkAddresses(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.map(({ address }) => address).join(' ');
}

function counted(count: number): string {
  return count === 1 ? '1 notification was' : `${count} notifications were`;
}

function inOrderOf(names: readonly string[], queues: readonly SinkQueue[]): readonly SinkQueue[] {
  return names.flatMap((name) => queues.find((queue) => queue.name === name) ?? []);
}

import { mkdirSync, unwatchFile, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fixedClock, IS_PROOF, temporaryFolder } from '@deskside/testkit';
import {
  type Arbitrary,
  array,
  asyncProperty,
  assert,
  constant,
  constantFrom,
  integer,
  oneof,
  record,
} from 'fast-check';
import { expect, test } from 'vitest';
import type { Level, Notification } from '../notification/notification.ts';
import { PartlyDelivered, RetryLater, type Sink, Undeliverable } from '../sinks/sink.ts';
import { NO_LOCAL_SINKS } from '../testing/delivery.ts';
import { Machine, storageIn, type TestedProcess } from '../testing/storage.ts';
import { Dispatcher } from './dispatcher.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Policies and targets of the only sink. The clock starts at noon UTC. */
const configurations = {
  unlimited: 'rate = false\nfold = false',
  defaults: '',
  strict: 'rate = { burst = 1, per_minute = 0.5 }\nfold = "5m"',
  digest: 'digest = "15m"',
  moved: 'url = "https://example.org/other"',
  renamed: 'url = "https://example.org/other"\nname = "other"',
  broken: 'rate = 7',
};
const quiet = '[quiet_hours]\nfrom = "13:00"\nto = "15:00"\n';

type Configuration = keyof typeof configurations;

const BEHAVIORS = [
  'works',
  'fails',
  'refuses',
  'hangs',
  'asks to wait',
  'takes half',
  'needs a token',
  'chokes on one',
] as const;
type Behavior = (typeof BEHAVIORS)[number];

/** Which of the two servers. The second one starts with its first notification. */
const by = constantFrom<0 | 1>(0, 0, 1);

const notification = record({
  do: constant('notify' as const),
  level: constantFrom<Level>('info', 'warn', 'error'),
  text: integer({ min: 0, max: 5 }),
  caller: constantFrom('a', 'b'),
  by,
});
const flood = record({ do: constant('flood' as const), level: constantFrom<Level>('info', 'error') });
const wait = record({ do: constant('wait' as const), ms: integer({ min: 0, max: 2 * HOUR_MS }) });
const clockSet = record({
  do: constant('set the time' as const),
  ms: constantFrom(-26 * HOUR_MS, -HOUR_MS, HOUR_MS),
});
const behavior = record({ do: constant('sink' as const), behavior: constantFrom(...BEHAVIORS) });
const configured = record({
  do: constant('configure' as const),
  configuration: constantFrom<Configuration>('unlimited', 'defaults', 'strict', 'digest', 'moved'),
  isQuiet: constantFrom(true, false),
});
const restart = record({ do: constantFrom('restart' as const, 'kill' as const), by });
/** The file changes while no server runs. */
const changed = record({
  do: constant('change and start' as const),
  configuration: constantFrom<Configuration>('unlimited', 'defaults', 'moved', 'renamed', 'broken'),
  wasKilled: constantFrom(true, false),
});

const step = oneof(
  { weight: 8, arbitrary: notification },
  flood,
  { weight: 4, arbitrary: wait },
  clockSet,
  { weight: 4, arbitrary: behavior },
  { weight: 2, arbitrary: configured },
  { weight: 2, arbitrary: restart },
  { weight: 2, arbitrary: changed },
);
type Step = typeof step extends Arbitrary<infer Value> ? Value : never;

/** A sink and the person behind it. */
class Person implements Sink {
  readonly batchSize: number;
  readonly timeoutMs = 1000;
  readonly maxCodePoints = 500;
  behavior: Behavior = 'works';
  readonly seen = new Map<string, Notification>();

  constructor(batchSize: number) {
    this.batchSize = batchSize;
  }

  async deliver(batch: readonly Notification[], signal: AbortSignal): Promise<void> {
    const take = (taken: readonly Notification[]) => {
      for (const each of taken) {
        // What is longer is cut, as a service does.
        this.seen.set(each.id, { ...each, message: each.message.slice(0, this.maxCodePoints) });
      }
    };
    switch (this.behavior) {
      case 'works':
        return take(batch);
      case 'fails':
        throw new Error('down');
      case 'needs a token':
        throw new Error('401');
      case 'chokes on one':
        if (batch.some(({ message }) => message.includes('text 3'))) throw new Error('500');
        return take(batch);
      case 'refuses':
        throw new Undeliverable('404');
      case 'asks to wait':
        throw new RetryLater('429', 90_000);
      case 'takes half': {
        const count = Math.floor(batch.length / 2);
        take(batch.slice(0, count));
        throw new PartlyDelivered(count, { cause: new Error('disk full') });
      }
      case 'hangs':
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('aborted'))),
        );
    }
  }

  /** How many notifications the person knows about: seen, in a summary, or in a notice of losses. */
  get known(): number {
    const counted = [...this.seen.values()].map(({ context, message }) => {
      const count = /^(\d+) notifications? (?:was|were) (?:held back|lost)/.exec(message)?.[1];
      return context === 'log-notify' ? Number(count) : 1;
    });
    return counted.reduce((sum, count) => sum + count, 0);
  }
}

interface Server {
  readonly process: TestedProcess;
  readonly dispatcher: Dispatcher;
}

/** Two servers of one machine with the same sink, each of which may be killed and started again. */
class Desk {
  readonly person: Person;
  readonly clock = fixedClock('2026-11-21T12:00:00Z');
  readonly reports: string[] = [];
  accepted = 0;
  /** The accepted warnings and errors. */
  readonly important = new Set<string>();
  wasKilled = false;
  readonly #folder = temporaryFolder();
  readonly #machine = new Machine(this.clock);
  readonly #servers: [Server, Server | undefined];

  constructor(batchSize: number) {
    this.person = new Person(batchSize);
    mkdirSync(this.#folder, { recursive: true });
    this.#configure('defaults', false);
    this.#servers = [this.#start(), undefined];
  }

  /** Notifications that were reported as lost in the log of the server. */
  get reportedLost(): number {
    const counts = this.reports.map((each) =>
      Number(/(\d+) notifications? (?:was|were) (?:lost|dropped)/.exec(each)?.[1] ?? 0),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async run(each: Step): Promise<void> {
    switch (each.do) {
      case 'notify':
        await this.#notify(
          each.level,
          `text ${each.text}\n${'detail '.repeat(20)}of ${each.text}.`,
          each.caller,
          each.by,
        );
        break;
      case 'flood':
        for (let index = 0; index < 1100; index += 1)
          void this.#notify(each.level, `flood ${index}`, 'flood', 0);
        break;
      case 'wait':
        await this.#wait(each.ms);
        break;
      case 'set the time':
        this.clock.jump(each.ms);
        break;
      case 'sink':
        this.person.behavior = each.behavior;
        break;
      case 'configure':
        this.#configure(each.configuration, each.isQuiet);
        for (const { dispatcher } of this.#running) dispatcher.reload();
        break;
      case 'restart':
      case 'kill':
        await this.#end(each.do === 'kill', this.#servers[each.by]);
        if (this.#servers[each.by] !== undefined) this.#servers[each.by] = this.#start();
        break;
      case 'change and start': {
        for (const server of this.#running) await this.#end(each.wasKilled, server);
        this.#configure(each.configuration, false);
        this.#servers[0] = this.#start();
        this.#servers[1] = undefined;
        break;
      }
    }
    await settle();
  }

  /** Everything works again, and enough time passes. */
  async recover(): Promise<void> {
    this.person.behavior = 'works';
    this.#configure('defaults', false);
    for (const { dispatcher } of this.#running) dispatcher.reload();
    for (let period = 0; period < 10; period += 1) await this.#wait(10 * MINUTE_MS);
    for (const server of this.#running) await this.#end(false, server);
    this.clock.clear();
  }

  get #running(): readonly Server[] {
    return this.#servers.filter((server) => server !== undefined);
  }

  /** @returns without waiting for the first delivery */
  async #notify(level: Level, message: string, limitKey: string, by: 0 | 1): Promise<void> {
    const { dispatcher } = (this.#servers[by] ??= this.#start());
    // The broken configuration has no sink.
    if (dispatcher.plans.length > 0) {
      this.accepted += 1;
      if (level !== 'info') this.important.add(message);
    }
    const receipt = dispatcher.notify({ level, context: 'llm', message, limitKey });
    await settle();
    void receipt;
  }

  async #wait(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= MINUTE_MS) {
      this.clock.advance(Math.min(left, MINUTE_MS));
      await settle();
    }
  }

  async #end(isKilled: boolean, server: Server | undefined): Promise<void> {
    if (server === undefined) return;
    if (isKilled) this.wasKilled = true;
    else {
      const closed = server.dispatcher.close();
      for (let periods = 0; periods < 40; periods += 1) {
        await settle();
        this.clock.advance(100);
      }
      await closed;
    }
    server.process.kill();
  }

  #configure(configuration: Configuration, isQuiet: boolean): void {
    const settings = configurations[configuration];
    const url = settings.includes('url') ? '' : 'url = "https://example.org/hook"\n';
    writeFileSync(this.#config, `${NO_LOCAL_SINKS}${isQuiet ? quiet : ''}[[webhook]]\n${url}${settings}\n`);
  }

  get #config(): string {
    return join(this.#folder, 'log-notify.toml');
  }

  #start(): Server {
    const process = this.#machine.start();
    const report = (sentence: string) => void this.reports.push(sentence);
    const dispatcher = new Dispatcher({
      config: this.#config,
      open: () => this.person,
      ...storageIn(this.#folder, this.#machine, process, report),
    });
    // A killed server must not read its configuration again.
    unwatchFile(this.#config);
    return { process, dispatcher };
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await nextTurn();
}

/** Carries out random steps, and what lets a sink deliver everything after them. */
async function played(steps: readonly Step[], batchSize: number): Promise<Desk> {
  const desk = new Desk(batchSize);
  for (const each of steps) await desk.run(each);
  await desk.recover();
  return desk;
}

const RUNS = { numRuns: IS_PROOF ? 600 : 30 };
const batchSizes = constantFrom(1, 100);

test('each accepted notification is seen, summarized, or counted in a notice of losses, whatever happens', async () => {
  await assert(
    asyncProperty(array(step, { maxLength: 30 }), batchSizes, async (steps, batchSize) => {
      const { person, reportedLost, wasKilled, accepted } = await played(steps, batchSize);
      const known = person.known + reportedLost;
      if (wasKilled) expect(known).toBeGreaterThanOrEqual(accepted);
      else expect(known).toBe(accepted);
    }),
    RUNS,
  );
});

/** Nothing here loses a notification: it holds them back. */
const holdsOnly = (each: Step) =>
  each.do !== 'change and start' &&
  each.do !== 'set the time' &&
  (each.do !== 'sink' || each.behavior !== 'refuses') &&
  (each.do !== 'configure' || each.configuration !== 'moved');

test('the text of each warning and error is seen, whatever holds it back', async () => {
  await assert(
    asyncProperty(array(step.filter(holdsOnly), { maxLength: 30 }), batchSizes, async (steps, batchSize) => {
      const { person, important } = await played(steps, batchSize);
      const texts = [...person.seen.values()].map(({ message }) => message.replaceAll('\n  ', '\n'));
      const missing = [...important].filter((text) => !texts.some((each) => each.includes(text)));
      expect(missing).toStrictEqual([]);
    }),
    RUNS,
  );
});

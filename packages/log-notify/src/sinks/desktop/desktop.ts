import { execFile } from 'node:child_process';
import { type Clock, systemClock } from '@deskside/core/base';
import { type DaemonState, DesktopNotifications, raiseTerminal, type SessionBus } from '@deskside/desktop';
import { callerFirst, datedTitle } from '../../notification/display.ts';
import type { Notification } from '../../notification/notification.ts';
import { escapeLines } from '../../notification/safe-text.ts';
import { defineSink, type Host } from '../define-sink.ts';
import type { Environment, Sink, Unseen } from '../sink.ts';
import {
  type Command,
  type Driver,
  ERROR_EXPIRE_MS,
  findDriver,
  type Machine,
  thisMachine,
  URGENCY,
} from './drivers.ts';

export const desktop = defineSink({
  kind: 'desktop',
  schema: () => ({}),
  secrets: [],
  variables: {},
  example: `
[desktop]
level = "warn"                            # info, warn or error
exclude_contexts = ["performance"]
`,
  local: {
    policy: { level: 'warn', unseenLevel: 'info', rate: { burst: 3, perMinute: 12 }, foldMs: 60_000 },
    isLog: false,
    async examine(_, { env }) {
      const driver = findDriver(thisMachine(env));
      if (typeof driver === 'string') return { fact: `not available: ${driver}` };
      if (!('address' in driver)) return { fact: 'available', note: driver.advice };
      switch (await daemonState(driver)) {
        case 'do not disturb':
          return { fact: 'available, but in "Do not disturb" now' };
        case 'missing':
          return { fact: 'not available: no notification daemon runs', problem: NO_DAEMON };
        case 'shows':
          return { fact: 'available' };
      }
    },
  },
  describe: () => 'desktop notifications',
  open: (_, host) => new DesktopSink(() => thisMachine(host.env), systemClock, host),
});

const NO_DAEMON = {
  problem: 'No notification daemon runs in this session.',
  remedy: 'Start the one of your desktop, or install dunst or mako.',
};

const MAX_BODY_CODE_POINTS = 500;

/** Time until the machine is checked again: people log in and out. */
const RECHECK_MS = 30_000;

/** UTF-16 units of a failed program's stderr in the error message. */
const MAX_STDERR_UNITS = 200;

async function daemonState(bus: SessionBus): Promise<DaemonState> {
  try {
    return await (await DesktopNotifications.on(bus)).state();
  } catch {
    // Without a bus there is no daemon.
    return 'missing';
  }
}

/** Desktop notifications: over the session bus, or through a program of the operating system. */
export class DesktopSink implements Sink {
  readonly batchSize = 1;
  readonly timeoutMs = 10_000;
  readonly maxCodePoints = MAX_BODY_CODE_POINTS;
  readonly #machine: () => Machine;
  readonly #clock: Pick<Clock, 'now'>;
  /** A string says why no driver works. */
  #driver: Driver | SessionBus | string = '';
  readonly #clickable = new Set<Promise<void>>();
  #checkedAt = Number.NEGATIVE_INFINITY;
  #isDisturbing = true;
  readonly #host: Pick<Host, 'quietMs' | 'seen'>;

  constructor(
    machine: () => Machine,
    clock: Pick<Clock, 'now'> = systemClock,
    host: Pick<Host, 'quietMs' | 'seen'> = {},
  ) {
    this.#host = host;
    this.#machine = machine;
    this.#clock = clock;
  }

  quietMs(caller?: string): number {
    return this.#host.quietMs?.(caller) ?? 0;
  }

  tellsSeen(): boolean {
    const driver = this.#currentDriver();
    return typeof driver !== 'string' && 'address' in driver;
  }

  /** Asks the daemon whether it shows notifications now. */
  async look(): Promise<void> {
    const driver = this.#currentDriver();
    if (typeof driver === 'string' || !('address' in driver)) return;
    this.#isDisturbing = (await daemonState(driver)) !== 'do not disturb';
  }

  unseen(): Unseen | undefined {
    return this.#isDisturbing ? undefined : 'do not disturb';
  }

  unavailable(): string | undefined {
    const driver = this.#currentDriver();
    return typeof driver === 'string' ? driver : undefined;
  }

  async deliver(batch: readonly Notification[], signal: AbortSignal): Promise<void> {
    const driver = this.#currentDriver();
    if (typeof driver === 'string') throw new Error(driver);
    for (const each of batch) {
      const title = datedTitle(each, this.#clock.now(), callerFirst(each));
      const body = escapeLines(each.message, MAX_BODY_CODE_POINTS);
      if ('address' in driver) await this.#show(driver, each, title, body);
      else await runCommand(driver.command({ level: each.level, title, body }), this.#machine().env, signal);
    }
  }

  async clicked(): Promise<void> {
    await Promise.all(this.#clickable);
  }

  async #show(
    bus: SessionBus,
    { level, id, caller, terminal, summarizes = [{ id, caller }] }: Notification,
    title: string,
    text: string,
  ): Promise<void> {
    const daemon = await DesktopNotifications.on(bus);
    const ended = Promise.withResolvers<void>();
    await daemon.show({
      title,
      text,
      urgency: URGENCY[level],
      ...(level === 'error' ? { expireMs: ERROR_EXPIRE_MS } : {}),
      ...(terminal === undefined ? {} : { clickLabel: 'Show terminal' }),
      onEnd: (end) => {
        if (end !== 'gone') this.#host.seen?.(summarizes);
        const isRaised = end === 'clicked' && terminal !== undefined;
        ended.resolve(isRaised ? raiseTerminal(terminal, this.#machine().env) : undefined);
      },
    });
    if (terminal === undefined) return;
    this.#clickable.add(ended.promise);
    void ended.promise.finally(() => this.#clickable.delete(ended.promise));
  }

  #currentDriver(): Driver | SessionBus | string {
    const atMs = systemClock.elapsedMs();
    if (atMs - this.#checkedAt > RECHECK_MS) {
      this.#driver = findDriver(this.#machine());
      this.#checkedAt = atMs;
    }
    return this.#driver;
  }
}

/**
 * Runs a program without a shell until it exits.
 *
 * @throws Error if the program is missing, fails or is stopped by the signal
 */
export async function runCommand(
  { program, args, input = '' }: Command,
  env: Environment,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = execFile(program, args, { env, signal, windowsHide: true }, (error, _stdout, stderr) => {
    if (error === null) return resolve();
    const { code, signal: killedBy } = error;
    const reason = stderr.trim().slice(0, MAX_STDERR_UNITS);
    // With a word as its code it did not run to its end. Else the message of the error has the text.
    reject(
      typeof code === 'string' ? error : new Error(`${program} exited with ${code ?? killedBy}: ${reason}`),
    );
  });
  // A program may exit without reading its input.
  child.stdin?.on('error', () => undefined).end(input);
  await promise;
}

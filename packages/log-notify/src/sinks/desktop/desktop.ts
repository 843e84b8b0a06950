import { spawn } from 'node:child_process';
import { type Clock, systemClock } from '@deskside/core/base';
import { type DaemonState, DesktopNotifications, raiseTerminal, type SessionBus } from '@deskside/desktop';
import { callerFirst, datedTitle } from '../../notification/display.ts';
import type { Notification } from '../../notification/notification.ts';
import { escapeLines } from '../../notification/safe-text.ts';
import { defineSink, type Host } from '../define-sink.ts';
import type { Environment, Sink } from '../sink.ts';
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
  open: (_, host) => desktopSink(() => thisMachine(host.env), systemClock, host),
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

/**
 * Desktop notifications: over the session bus, or through a program of the operating system.
 *
 * @param machine as it is now: people log in and out
 */
export function desktopSink(
  machine: () => Machine,
  clock: Pick<Clock, 'now'> = systemClock,
  host: Pick<Host, 'quietMs' | 'seen'> = {},
): Sink {
  /** A string says why no driver works. */
  let driver: Driver | SessionBus | string = '';
  let checkedAt = Number.NEGATIVE_INFINITY;
  let isDisturbing = true;
  const clickable = new Set<Promise<void>>();
  return {
    batchSize: 1,
    timeoutMs: 10_000,
    maxCodePoints: MAX_BODY_CODE_POINTS,
    quietMs: (caller) => host.quietMs?.(caller) ?? 0,
    tellsSeen() {
      const current = currentDriver();
      return typeof current !== 'string' && 'address' in current;
    },
    /** Asks the daemon whether it shows notifications now. */
    async look() {
      const current = currentDriver();
      if (typeof current === 'string' || !('address' in current)) return;
      isDisturbing = (await daemonState(current)) !== 'do not disturb';
    },
    unseen: () => (isDisturbing ? undefined : 'do not disturb'),
    unavailable() {
      const current = currentDriver();
      return typeof current === 'string' ? current : undefined;
    },
    async deliver(batch, signal) {
      const current = currentDriver();
      if (typeof current === 'string') throw new Error(current);
      for (const each of batch) {
        const title = datedTitle(each, clock.now(), callerFirst(each));
        const body = escapeLines(each.message, MAX_BODY_CODE_POINTS);
        if ('address' in current) await show(current, each, title, body);
        else await runCommand(current.command({ level: each.level, title, body }), machine().env, signal);
      }
    },
    clicked: async () => void (await Promise.all(clickable)),
  };

  async function show(
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
        if (end !== 'gone') host.seen?.(summarizes);
        const isRaised = end === 'clicked' && terminal !== undefined;
        ended.resolve(isRaised ? raiseTerminal(terminal, machine().env) : undefined);
      },
    });
    if (terminal === undefined) return;
    clickable.add(ended.promise);
    void ended.promise.finally(() => clickable.delete(ended.promise));
  }

  function currentDriver(): Driver | SessionBus | string {
    const atMs = systemClock.elapsedMs();
    if (atMs - checkedAt > RECHECK_MS) {
      driver = findDriver(machine());
      checkedAt = atMs;
    }
    return driver;
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
  const child = spawn(program, args, { env, stdio: ['pipe', 'ignore', 'pipe'], signal, windowsHide: true });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < MAX_STDERR_UNITS) stderr += text.slice(0, MAX_STDERR_UNITS);
  });
  child.on('error', reject);
  child.on('close', (code, killedBy) => {
    if (code === 0) resolve();
    else reject(new Error(`${program} exited with ${code ?? killedBy}: ${stderr.trim()}`));
  });
  // A program may exit without reading its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  await promise;
}

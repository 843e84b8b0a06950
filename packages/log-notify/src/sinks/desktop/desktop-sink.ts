import { existsSync } from 'node:fs';
import { platform, userInfo } from 'node:os';
import type { Level } from '../../message/levels.ts';
import { neutralize } from '../../message/neutralize.ts';
import type { Notification } from '../../message/notification.ts';
import { environment } from '../../platform/this-process.ts';
import type { Sink } from '../sink.ts';
import type { Driver } from './driver.ts';
import { findDriver, isProgram, type Machine } from './find-driver.ts';
import { runCommand } from './run-command.ts';

/** Code points a notification on a desktop shows. */
const SHOWN = 500;
/** Milliseconds after which the machine is looked at again: people log in and out. */
const LOOK_AGAIN_MS = 30_000;

const TITLES: Readonly<Record<Level, string>> = { info: 'Info', warn: 'Warning', error: 'Error' };

function thisMachine(): Machine {
  const { uid } = userInfo();
  return {
    platform: platform(),
    env: environment(),
    userId: uid < 0 ? undefined : uid,
    exists: existsSync,
    isProgram,
  };
}

/** The desktop's own notifications, through a program that is there anyway. */
export class DesktopSink implements Sink {
  readonly batch = 1;
  readonly timeLimit = 5000;
  readonly #machine: () => Machine;
  #driver: Driver | string = '';
  #foundAt = Number.NEGATIVE_INFINITY;

  constructor(machine: () => Machine = thisMachine) {
    this.#machine = machine;
  }

  unavailable(): string | undefined {
    const driver = this.#find();
    return typeof driver === 'string' ? driver : undefined;
  }

  async deliver(batch: readonly Notification[], signal: AbortSignal): Promise<void> {
    const driver = this.#find();
    if (typeof driver === 'string') throw new Error(driver);
    for (const { level, context, message } of batch) {
      const title = `${TITLES[level]}: ${neutralize(context)}`;
      await runCommand(driver({ level, title, body: neutralize(message, SHOWN) }), signal);
    }
  }

  #find(): Driver | string {
    const now = performance.now();
    if (now - this.#foundAt > LOOK_AGAIN_MS) {
      this.#driver = findDriver(this.#machine());
      this.#foundAt = now;
    }
    return this.#driver;
  }
}

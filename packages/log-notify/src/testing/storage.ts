import { join } from 'node:path';
import { silentLog } from '@deskside/core';
import type { Scheduler } from '@deskside/core/base';
import { DeskDatabase, type Journal, openJournal } from '@deskside/desktop';
import { Deliveries } from '../delivery/deliveries.ts';
import type { DispatcherOptions } from '../delivery/dispatcher.ts';

/** One of several processes of a machine, which a test can kill. */
export interface TestedProcess {
  readonly id: number;
  readonly clock: Scheduler;
  /** Nothing of it runs any more: its timers and deliveries end with it. */
  kill(): void;
}

/** The processes of one machine. */
export class Machine {
  readonly #clock: Scheduler;
  readonly #running = new Set<number>();
  #last = 0;

  constructor(clock: Scheduler) {
    this.#clock = clock;
  }

  start(): TestedProcess {
    this.#last += 1;
    const id = this.#last;
    this.#running.add(id);
    const clock: Scheduler = {
      now: () => this.#clock.now(),
      elapsedMs: () => this.#clock.elapsedMs(),
      after: (delayMs, run, options) =>
        this.#clock.after(delayMs, () => (this.#running.has(id) ? run() : undefined), options),
    };
    return { id, clock, kill: () => void this.#running.delete(id) };
  }

  isRunning(id: number): boolean {
    return this.#running.has(id);
  }
}

/** A dispatcher that stores in a folder which all processes of the machine use. */
export function storageIn(
  folder: string,
  machine: Machine,
  { id, clock }: TestedProcess,
  report: (sentence: string) => void,
): Omit<DispatcherOptions, 'config' | 'open'> {
  const places = { state: join(folder, 'state'), runtime: [] };
  const database = new DeskDatabase({ places, log: silentLog, clock });
  const owner = { id: String(id), hasEnded: (other: string) => !machine.isRunning(Number(other)) };
  return {
    mustExist: true,
    overrides: { filter: undefined, file: undefined },
    defaultFile: '/nowhere',
    clock,
    report,
    deliveries: new Deliveries(database, clock, owner),
  };
}

/** The journal of a user whose only programs are those of the test. */
export function journalIn(folder: string): Journal {
  return openJournal({ places: { state: join(folder, 'state'), runtime: [] }, log: silentLog });
}

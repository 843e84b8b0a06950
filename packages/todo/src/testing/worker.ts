import { join } from 'node:path';
import { bundledProgram, startProgram } from '@deskside/testkit';
import { onTestFinished } from 'vitest';
import type { WorkerTask } from './worker-program.ts';

const PROGRAM = join(import.meta.dirname, 'worker-program.ts');

/** A process that waits for `start`, does its task and prints lines. */
export interface Worker {
  /** Complete lines so far, without a line that a kill cut short. */
  readonly lines: readonly string[];
  /** What it has written to stderr, for messages. */
  readonly problems: string;
  /** Resolves when that many lines are there; rejects if the process ends before. */
  printed(count: number): Promise<void>;
  start(): void;
  /** kill -9 */
  kill(): void;
  /** Resolves after the end, with all output in `lines`: 0 is success, null a signal. */
  readonly ended: Promise<number | null>;
}

/** Resolves when the worker is ready to start. The end of the test kills it if it still runs. */
export async function openWorker(task: WorkerTask): Promise<Worker> {
  const path = await bundledProgram(PROGRAM, ['better-sqlite3']);
  const program = startProgram({ command: process.execPath, args: [path] });
  onTestFinished(() => program[Symbol.asyncDispose]());
  const { stdin } = program.child;
  stdin.write(`${JSON.stringify(task)}\n`);
  const worker: Worker = {
    get lines() {
      return program.stdout().split('\n').slice(1, -1);
    },
    get problems() {
      return program.stderr();
    },
    ended: program.exited,
    async printed(count) {
      await program.printed(new RegExp(`^(?:.*\\n){${1 + count}}`));
    },
    start: () => void stdin.end('start\n'),
    kill: () => void program.child.kill('SIGKILL'),
  };
  await worker.printed(0);
  return worker;
}

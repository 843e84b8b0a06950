import { join } from 'node:path';
import { replaceFile } from '@deskside/core/base';
import { startProgram } from '@deskside/testkit';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';
import type { WorkerTask } from './worker-program.ts';

let bundled: Promise<string> | undefined;

/**
 * Bundles the worker's program, which then starts in a seventh of the CPU time: it loads one file instead of hundreds.
 *
 * @returns path of an ES module in this package
 */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'worker-program.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3', 'pg'],
  });
  const path = join(import.meta.dirname, '../../node_modules/.cache/programs/worker-program.mjs');
  // Test files run side by side: a program that starts reads a whole file.
  await replaceFile(path, outputFiles[0]?.text ?? '');
  return path;
}

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
  bundled ??= bundle();
  const program = startProgram({ command: process.execPath, args: [await bundled] });
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

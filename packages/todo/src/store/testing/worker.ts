import { join } from 'node:path';
import { startProgram } from '@deskside/testkit';
import { onTestFinished } from 'vitest';

/** A program of this folder that runs in a process of its own, is told what to do and answers in lines. */
export interface Worker {
  /** Complete lines so far: one that a kill cut short does not count. */
  readonly lines: readonly string[];
  /** Resolves when that many lines are there; rejects when the program ends before. */
  printed(count: number): Promise<void>;
  tell(line: string): void;
  /** Tells it to go on, and that no more will come. */
  go(): void;
  /** kill -9 */
  kill(): void;
  /** Resolves when it has ended and all its output is in `lines`; 0 is success, null a signal. */
  readonly ended: Promise<number | null>;
}

/** Starts it under this same Node; it is killed, if need be, when the running test ends. */
export function startWorker(file: string): Worker {
  const program = startProgram({ command: process.execPath, args: [join(import.meta.dirname, file)] });
  const { stdin } = program.child;
  onTestFinished(() => program[Symbol.asyncDispose]());
  return {
    get lines() {
      return program.stdout().split('\n').slice(0, -1);
    },
    ended: program.exited,
    async printed(count) {
      await program.printed(new RegExp(`^(?:.*\\n){${count}}`));
    },
    go: () => void stdin.end('go\n'),
    tell: (line) => void stdin.write(`${line}\n`),
    kill: () => void program.child.kill('SIGKILL'),
  };
}

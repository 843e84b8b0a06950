import { fork, type ForkOptions } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A program of this folder that runs in a process of its own, is told what to do and answers in lines. */
export interface Program {
  /** Complete lines so far. */
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
export function startProgram(file: string): Program {
  const options: ForkOptions = { execArgv: [], stdio: ['pipe', 'pipe', 'inherit', 'ipc'] };
  const child = fork(join(import.meta.dirname, file), options);
  const { stdin: input, stdout: output } = child;
  if (input === null || output === null) throw new Error('the program has no pipes');
  const lines: string[] = [];
  let partial = '';
  // Not readline: a line that the kill cut short must not count.
  output.setEncoding('utf8').on('data', (text: string) => {
    const pieces = (partial + text).split('\n');
    partial = pieces.pop() ?? '';
    lines.push(...pieces);
    if (pieces.length > 0) child.emit('lines');
  });
  const ended = once(child, 'close').then(() => child.exitCode);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    lines,
    ended,
    async printed(count) {
      while (lines.length < count) {
        const over = await Promise.race([once(child, 'lines').then(() => false), ended.then(() => true)]);
        if (over && lines.length < count) throw new Error(`${file} ended after ${lines.length} lines`);
      }
    },
    go: () => void input.end('go\n'),
    tell: (line) => void input.write(`${line}\n`),
    kill: () => void child.kill('SIGKILL'),
  };
}

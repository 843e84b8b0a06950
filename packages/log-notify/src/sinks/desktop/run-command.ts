import { spawn } from 'node:child_process';
import type { Command } from './driver.ts';

/** Characters of a failing program's own words that are passed on. */
const QUOTED = 200;

/**
 * Runs a program to its end, without a shell.
 *
 * @throws where it is missing, fails, or is ended by the signal
 */
export async function runCommand({ program, args, input = '' }: Command, signal: AbortSignal): Promise<void> {
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'], signal, windowsHide: true });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (complaint.length < QUOTED) complaint += text.slice(0, QUOTED);
  });
  child.on('error', reject);
  child.on('close', (code, killedBy) => {
    if (code === 0) resolve();
    else reject(new Error(`${program} ended with ${code ?? killedBy}: ${complaint.trim()}`));
  });
  // A program that reads nothing of its input is not an error of ours.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  await promise;
}

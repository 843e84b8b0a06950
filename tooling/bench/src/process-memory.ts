import { readFileSync } from 'node:fs';

/** Megabytes of a process, with its part of what it shares with others: the proportional set size. Linux only. */
export function memorySize(pid: number): number {
  const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

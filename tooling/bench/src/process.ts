import { readdirSync, readFileSync } from 'node:fs';

/**
 * CPU milliseconds of all threads of a process and of all that it started, including those of V8 and libuv. The
 * resolution is a nanosecond; `getrusage` and /proc/<pid>/stat count in ticks of 10 ms. Linux only.
 */
export function cpuTime(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`);
  const children = threads.flatMap((thread) =>
    readFileSync(`${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
  const own = threads.map(
    (thread) => Number(readFileSync(`${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
  );
  return [...own, ...children.map((child) => cpuTime(Number(child)))].reduce((sum, each) => sum + each, 0);
}

/** CPU milliseconds of this process for some work. */
export async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Megabytes of a process, with its part of what it shares with others: the proportional set size. Linux only. */
export function memorySize(pid: number): number {
  const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

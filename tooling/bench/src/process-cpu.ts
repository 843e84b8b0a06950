import { readdirSync, readFileSync } from 'node:fs';

/**
 * CPU milliseconds of all threads of a process, including those of V8 and libuv. The resolution is a nanosecond;
 * `getrusage` and /proc/<pid>/stat count in ticks of 10 ms. Linux only.
 */
export function cpuTime(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const nanoseconds = readdirSync(tasks).map((task) => {
    const [onCpu] = readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ');
    return Number(onCpu);
  });
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

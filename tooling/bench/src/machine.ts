import { arch, availableParallelism, platform } from 'node:os';

/** Where and when a section was measured: "2026-11-21, Node.js 24.19.0, linux x64, 2 cores". */
export function measuredOn(now: Date): string {
  const cores = availableParallelism();
  return [
    now.toISOString().slice(0, 10),
    `Node.js ${process.versions.node}`,
    `${platform()} ${arch()}`,
    `${cores} ${cores === 1 ? 'core' : 'cores'}`,
  ].join(', ');
}

import { Worker } from 'node:worker_threads';
import { afterAll, expect, inject } from 'vitest';

// A setup file of the test runs of `pnpm mutate`: reports what a test file executes, and ends a process that hangs.

declare module 'vitest' {
  interface ProvidedContext {
    /** Longest time of each test file, by its path. */
    readonly limitsMs: Readonly<Record<string, number>>;
  }
  interface TaskMeta {
    /** The points of the product that the test file executed. */
    hits?: number[];
  }
}

const world = globalThis as { hit?: (point: number) => void; watchdog?: Worker };

const hits = new Set<number>();
world.hit = (point) => void hits.add(point);
// oxlint-disable-next-line no-empty-pattern -- Vitest wants a pattern
afterAll(({}, suite) => {
  suite.file.meta.hits = [...hits];
});

/** A separate thread: an endless loop of the product cannot be interrupted from inside. */
const WATCHDOG = `
  const { workerData: limitMs } = require('node:worker_threads');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), limitMs);`;
const limitMs = inject('limitsMs')[expect.getState().testPath ?? ''];
void world.watchdog?.terminate();
if (limitMs !== undefined) {
  world.watchdog = new Worker(WATCHDOG, { eval: true, workerData: limitMs });
  world.watchdog.unref();
}

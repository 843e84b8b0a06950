import { appendFileSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread, Worker } from 'node:worker_threads';

// The first module of each process and thread of the test runs of `pnpm mutate`: Vitest replaces modules of its own thread only.

const folder = new URL(import.meta.url).searchParams.get('folder') ?? '';
const { sources, limitMs } = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as {
  /** By absolute path. */
  readonly sources: Readonly<Record<string, string>>;
  /** A process that takes longer ends: the product may be in an endless loop. */
  readonly limitMs?: number;
};

const hits = new Set<string>();
(globalThis as { hit?: (point: string) => void }).hit = (point) => {
  if (!hits.has(point)) appendFileSync(join(folder, 'hits'), `${point}\n`);
  hits.add(point);
};

registerHooks({
  load(url, context, nextLoad) {
    const source = url.startsWith('file:') ? sources[fileURLToPath(url)] : undefined;
    if (source === undefined) return nextLoad(url, context);
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});

const WATCHDOG = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), require('node:worker_threads').workerData)`;
if (isMainThread && limitMs !== undefined)
  new Worker(WATCHDOG, { eval: true, execArgv: [], workerData: limitMs }).unref();

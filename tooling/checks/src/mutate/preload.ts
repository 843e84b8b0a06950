import { appendFileSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread, Worker } from 'node:worker_threads';

// The first module of each process and thread of the test runs of `pnpm mutate`: Vitest replaces modules of its own thread only.

const folder = new URL(import.meta.url).searchParams.get('folder') ?? '';
const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as unknown;
/** By absolute path. */
const sources = read('sources.json') as Readonly<Record<string, string>>;
/** Without a mutant, the run only records which mutants it would meet. */
const { mutant, limitMs } = read('run.json') as {
  readonly mutant?: string;
  /** A process that takes longer ends: the product may be in an endless loop. */
  readonly limitMs?: number;
};

const met = new Set<string>();
(globalThis as { isMutant?: (id: string) => boolean }).isMutant = (id) => {
  if (mutant === undefined && !met.has(id)) appendFileSync(join(folder, 'met'), `${id}\n`);
  met.add(id);
  return id === mutant;
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

import { Worker } from 'node:worker_threads';

export interface WatchdogLimits {
  readonly tickMs: number;
  /** How long the main thread may do nothing else. */
  readonly stuckMs: number;
  /** Processor time of the process in that time: a process that is stopped or starved uses none. */
  readonly cpuMs: number;
}

const LIMITS: WatchdogLimits = { tickMs: 1000, stuckMs: 30_000, cpuMs: 20_000 };

/** A worker that was late itself has seen a suspend or a busy machine. It waits for no reader of stderr. */
const SCRIPT = `
const { workerData: { ticks, tickMs, stuckMs, cpuMs } } = require('node:worker_threads');
const cpu = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const end = () => process.kill(process.pid, 'SIGKILL');
let start, seen, before = performance.now();
setInterval(() => {
  const time = performance.now();
  const isLate = time - before > 3 * tickMs + 100;
  before = time;
  const count = Atomics.load(ticks, 0);
  if (count !== seen || isLate) {
    seen = count;
    start = { at: time, cpu: cpu() };
  } else if (time - start.at >= stuckMs && cpu() - start.cpu >= cpuMs) {
    setTimeout(end, 1000);
    require('node:fs').write(2, 'deskside: the process hung for ' + Math.round(stuckMs / 1000) + ' s and was ended. Clients start another one.\\n', end);
  }
}, tickMs);
`;

let worker: Worker | undefined;

/** Ends this process if its main thread hangs: nothing else could, and its clients would wait for ever. */
export function startWatchdog(limits: WatchdogLimits = LIMITS): void {
  if (worker !== undefined) return;
  const ticks = new Int32Array(new SharedArrayBuffer(4));
  worker = new Worker(SCRIPT, { eval: true, workerData: { ticks, ...limits } });
  // A system without room for a thread goes on without it.
  worker.on('error', () => undefined).unref();
  setInterval(() => Atomics.add(ticks, 0, 1), limits.tickMs).unref();
}

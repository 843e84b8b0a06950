import type { Benchmark } from './benchmark.ts';
import { coldStart } from './cold-start.ts';
import { logFile } from './log-file.ts';
import { manictimeQueries } from './manictime-queries.ts';
import { manictimeScreenshots } from './manictime-screenshots.ts';
import { popup } from './popup.ts';
import { requestCost } from './request-cost.ts';
import { toast } from './toast.ts';

/** In the order of docs/benchmarks.md. */
export const benchmarks: readonly Benchmark[] = [
  coldStart,
  requestCost,
  manictimeQueries,
  manictimeScreenshots,
  popup,
  toast,
  logFile,
];

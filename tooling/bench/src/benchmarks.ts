import { attached } from './attached.ts';
import type { Benchmark } from './benchmark.ts';
import { coldStart } from './cold-start.ts';
import { external } from './external.ts';
import { manictimeQueries } from './manictime-queries.ts';
import { manictimeScreenshots } from './manictime-screenshots.ts';
import { popup } from './popup.ts';
import { requestCost } from './request-cost.ts';
import { todo } from './todo.ts';
import { types } from './types.ts';

/** In the order of docs/benchmarks.md. */
export const benchmarks: readonly Benchmark[] = [
  coldStart,
  attached,
  requestCost,
  types,
  external,
  manictimeQueries,
  manictimeScreenshots,
  popup,
  todo,
];

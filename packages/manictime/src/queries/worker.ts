import { parentPort } from 'node:worker_threads';
import { getOrAdd } from '@deskside/core/base';
import { identityName, textOf, UserError } from '@deskside/core/errors';
import { categorizer } from '../analysis/categories.ts';
import { privacyRules } from '../analysis/privacy.ts';
import { type ActivityDatabase, openActivityDatabase } from '../database/database.ts';
import { ScreenshotFolder } from '../screenshots/folder.ts';
import { queries } from './catalog.ts';
import type { DataSources, ThreadRequest, ThreadResponse } from './records.ts';
import type { QuerySources } from './sources.ts';

/** A query that takes longer reports progress, at most this often. */
const PROGRESS_AFTER_MS = 1000;
const PROGRESS_INTERVAL_MS = 250;

interface OpenSources extends Pick<QuerySources, 'screenshots' | 'rules' | 'categoryOf'> {
  readonly database: ActivityDatabase;
}

/** By their settings: caches are worth more than a thread per server. */
const open = new Map<string, OpenSources>();

function sourcesOf(settings: DataSources): OpenSources {
  return getOrAdd(open, JSON.stringify(settings), () => ({
    database: openActivityDatabase(settings.folder, settings.lockTimeoutMs),
    screenshots: new ScreenshotFolder(async () => settings.screenshots),
    rules: privacyRules(settings),
    categoryOf: categorizer(settings.categories),
  }));
}

function close(settings: DataSources | 'all'): void {
  const keys = settings === 'all' ? [...open.keys()] : [JSON.stringify(settings)];
  for (const key of keys) {
    open.get(key)?.database.close();
    open.delete(key);
  }
}

const port = parentPort;
if (port !== null) {
  port.on('message', (request: ThreadRequest) => {
    answer(request).then(
      (result) => send({ result }),
      (error: unknown) => send(failureOf(error)),
    );
  });

  const send = (response: ThreadResponse) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a browser window
    port.postMessage(response);
  };

  const answer = async (request: ThreadRequest): Promise<unknown> => {
    if ('close' in request) return close(request.close);
    const { database, ...known } = sourcesOf(request.sources);
    const checkpoint = checkpointOf(new Int32Array(request.cancelled), (done) => send({ done }));
    const sources: QuerySources = {
      ...known,
      read: (work) => database.read(work, checkpoint, request.nowSeconds),
      checkpoint,
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `QueryInput` types both ends of the port
    const run = queries[request.query] as (sources: QuerySources, input: unknown) => Promise<unknown>;
    return run(sources, request.input);
  };
}

/** Throws in the middle of a read if it is cancelled. */
function checkpointOf(cancelled: Int32Array, report: (done: number) => void): (done: number) => void {
  let next = performance.now() + PROGRESS_AFTER_MS;
  return (done) => {
    if (Atomics.load(cancelled, 0) !== 0) throw new Error('cancelled');
    const atMs = performance.now();
    if (atMs < next) return;
    next = atMs + PROGRESS_INTERVAL_MS;
    report(Math.min(done, 1));
  };
}

function failureOf(error: unknown): ThreadResponse {
  if (!UserError.is(error) || !('code' in error.failure)) return { cause: error };
  const { code, hint } = error.failure;
  return {
    failure: { error: error.failure.error, code, hint: textOf(hint, identityName) },
    cause: error.cause,
  };
}

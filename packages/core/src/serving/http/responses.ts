import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../log.ts';

/** Creates a JSON-RPC error as an HTTP response, for requests that do not reach a server object. */
export function rpcError(
  status: number,
  code: number,
  message: string,
  headers?: Record<string, string>,
): Response {
  return Response.json(
    { jsonrpc: '2.0', id: null, error: { code, message } },
    { status, ...(headers === undefined ? {} : { headers }) },
  );
}

/** Logs an error that is a bug, and answers the request that it ended. */
export function internalError(log: Log, error: unknown): Response {
  log.error('HTTP request failed', { error });
  return rpcError(500, -32_603, 'Internal error');
}

/** Requests in progress, so that a closing server can wait for them. The adapter would count open event streams, too. */
export class InFlight {
  readonly #running = new Set<Promise<void>>();

  /** @returns the function to call when the request has been answered; may be called twice */
  begin(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running.add(promise);
    return () => {
      this.#running.delete(promise);
      resolve();
    };
  }

  /** Resolves when the requests of now are answered, at the latest after `ms` milliseconds. */
  async idle(ms: number): Promise<void> {
    await Promise.race([Promise.all(this.#running), delay(ms, undefined, { ref: false })]);
  }
}

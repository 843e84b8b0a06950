import type { Log } from '../../log/log.ts';

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

/**
 * Returns the same response, and calls `done` once: when its body has ended or failed, or the client disconnected. It copies
 * the body, so it is only for streams whose end no one else reports.
 */
export function whenSent(response: Response, done: () => void): Response {
  if (response.body === null) {
    done();
    return response;
  }
  const end = { flush: done, cancel: done };
  // Nothing stays in the source: the SDK takes the late end of a replaced stream for the end of its successor.
  const all = new CountQueuingStrategy({ highWaterMark: Number.POSITIVE_INFINITY });
  const body = response.body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(end, undefined, all));
  return new Response(body, response);
}

/** A client that disconnects while a chunk is pending ends the stream twice. */
function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}

/**
 * Counts requests in progress, so that a closing server can wait for them. The adapter would count open event streams, too.
 */
export class InFlight {
  #running = 0;
  readonly #waiting = new Set<() => void>();

  /** @returns the function to call when the request has been answered; only its first call counts */
  begin(): () => void {
    this.#running += 1;
    return once(() => {
      this.#running -= 1;
      if (this.#running === 0) for (const resolve of this.#waiting) resolve();
    });
  }

  /** Resolves when no request is in progress, at the latest after `ms` milliseconds. */
  async idle(ms: number): Promise<void> {
    if (this.#running === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
  }
}

import {
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/client';
import { type ErrorAnswer, LoginNeeded, messageTooLong } from './problems.ts';
import { Turns } from './turns.ts';

const MAX_METADATA_BYTES = 64 * 1024;
const METADATA_TIMEOUT_MS = 5000;

export interface FetchLimits {
  /** The address of the server, which can say where its login is. */
  readonly url: string;
  /** Of one message: a whole body, or an event of a stream. */
  readonly maxMessageBytes: number;
  readonly onTooLong: (problem: ErrorAnswer) => void;
  /** Between two messages: until it resolves, no further one is read. */
  readonly beforeNext?: () => Promise<void> | undefined;
}

/** @throws LoginNeeded if the server demands a login that the desk cannot do */
export async function limitedFetch(
  target: string | URL,
  init: RequestInit | undefined,
  { url, maxMessageBytes, onTooLong, beforeNext }: FetchLimits,
): Promise<Response> {
  // The SDK passes one signal to all requests of a connection, and fetch leaves a listener on it.
  const { signal: given, ...rest } = init ?? {};
  const own = new AbortController();
  const stop = () => own.abort(given?.reason);
  given?.addEventListener('abort', stop, { once: true });
  if (given?.aborted === true) stop();
  const done = () => given?.removeEventListener('abort', stop);
  try {
    const response = await fetch(target, { ...rest, signal: own.signal });
    if (response.status === 401 && (await hasLogin(response, url, own.signal))) {
      await response.body?.cancel();
      throw new LoginNeeded();
    }
    if (response.body === null) {
      done();
      return response;
    }
    const tooLong = () => {
      done();
      const problem = messageTooLong(maxMessageBytes);
      onTooLong(problem);
      return new Error(problem.message);
    };
    const limit = limitOf(maxMessageBytes, isEvents(response), tooLong, done, beforeNext);
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
  } catch (error) {
    done();
    throw error;
  }
}

function isEvents({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true;
}

const LINE_FEED = 0x0a;

const CARRIAGE_RETURN = 0x0d;

/** Fails when one message is too long: a whole body, or an event, which ends with an empty line. */
function limitOf(
  maxBytes: number,
  isStream: boolean,
  tooLong: () => Error,
  done: () => void,
  beforeNext?: () => Promise<void> | undefined,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  let lineBytes = 0;
  let lastByte: number | undefined;
  const turns = new Turns();
  return new TransformStream({
    async transform(chunk, controller) {
      let start = 0;
      let sent = 0;
      for (
        let end = isStream ? chunk.indexOf(LINE_FEED) : -1;
        end !== -1;
        end = chunk.indexOf(LINE_FEED, start)
      ) {
        const added = end - start;
        const before = added === 0 ? lastByte : chunk[end - 1];
        const isEmpty = lineBytes + added === 0 || (lineBytes + added === 1 && before === CARRIAGE_RETURN);
        bytes += added + 1;
        if (bytes > maxBytes) break;
        lineBytes = 0;
        start = end + 1;
        if (!isEmpty) continue;
        bytes = 0;
        const turn = beforeNext?.() ?? turns.next();
        if (turn === undefined) continue;
        controller.enqueue(chunk.subarray(sent, start));
        sent = start;
        await turn;
      }
      bytes += chunk.length - start;
      lineBytes += chunk.length - start;
      lastByte = chunk.at(-1);
      if (bytes > maxBytes) controller.error(tooLong());
      else controller.enqueue(chunk.subarray(sent));
    },
    flush: done,
    cancel: done,
  });
}

async function hasLogin(response: Response, url: string, signal: AbortSignal): Promise<boolean> {
  if (extractWWWAuthenticateParams(response).resourceMetadataUrl !== undefined) return true;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(METADATA_TIMEOUT_MS)]);
  try {
    await discoverOAuthProtectedResourceMetadata(url, undefined, (target, init) =>
      metadataFetch(target, { ...init, signal: limit }),
    );
    return true;
  } catch {
    return false;
  }
}

/** Follows no redirect: the server would choose what the desk asks on this machine. */
async function metadataFetch(target: string | URL, init: RequestInit): Promise<Response> {
  const response = await fetch(target, { ...init, redirect: 'manual' });
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const limit = limitOf(MAX_METADATA_BYTES, false, metadataTooLong, () => undefined);
  return new Response(body.pipeThrough(limit), { status, statusText, headers });
}

const metadataTooLong = () => new Error('The metadata is too long.');

import { unescape } from 'node:querystring';
import { redact } from '../../message/redact.ts';
import { NotYet, Undeliverable } from '../sink.ts';

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers after which the same request may work later. */
const PASSING = new Set([408, 425, 429]);

/**
 * Sends JSON, following no redirect.
 *
 * @throws Undeliverable where the other side refuses it for good, NotYet where it may take it later, and a plain
 * Error where it can't be reached
 */
export async function post(request: Post, signal: AbortSignal): Promise<void> {
  const { host } = request.url;
  const response = await send(request, signal).catch((error: unknown) => {
    throw new Error(`${host} can't be reached: ${causeOf(error)}`, { cause: error });
  });
  await response.body?.cancel();
  if (response.ok) return;
  const answer = `${host} answers ${response.status}`;
  if (response.status >= 500 || PASSING.has(response.status)) {
    throw new NotYet(answer, waitAskedBy(response.headers.get('retry-after')));
  }
  const redirects = response.status >= 300 && response.status < 400;
  throw new Undeliverable(redirects ? `${answer}: a redirect, which is not followed` : answer);
}

async function send({ url, headers, body }: Post, signal: AbortSignal): Promise<Response> {
  return fetch(withoutUser(url), {
    method: 'POST',
    headers: headersOf(url, headers),
    body,
    redirect: 'manual',
    signal,
  });
}

/** fetch refuses an address with a name or password in it. */
function withoutUser(url: URL): URL {
  const address = new URL(url);
  address.username = '';
  address.password = '';
  return address;
}

function headersOf({ username, password }: URL, configured: Post['headers']): Headers {
  const headers = new Headers({ 'user-agent': 'deskside-log-notify' });
  if (username !== '' || password !== '') {
    const credentials = Buffer.from(`${unescape(username)}:${unescape(password)}`).toString('base64');
    headers.set('authorization', `Basic ${credentials}`);
  }
  for (const [name, value] of Object.entries(configured)) headers.set(name, value);
  headers.set('content-type', 'application/json');
  return headers;
}

/** Milliseconds; the header has seconds, or a date. */
function waitAskedBy(header: string | null): number {
  if (header === null) return 0;
  const seconds = Number(header);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  return Number.isNaN(milliseconds) ? 0 : Math.max(0, milliseconds);
}

/** It goes to the log, and may quote what was to be sent. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return redact(cause instanceof Error ? cause.message : String(cause));
}

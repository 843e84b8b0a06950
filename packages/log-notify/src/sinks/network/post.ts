import { unescape } from 'node:querystring';
import { redact } from '../../notification/safe-text.ts';
import { RetryLater, Undeliverable } from '../sink.ts';

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Statuses after which the same request may work later. */
const RETRYABLE_STATUSES = new Set([408, 425, 429]);

/**
 * Sends JSON. Does not follow redirects.
 *
 * @throws Undeliverable if the receiver rejects the request permanently, RetryLater if it may accept it later, and
 * Error if it cannot be reached
 */
export async function post(request: Post, signal: AbortSignal): Promise<void> {
  const { host } = request.url;
  const response = await send(request, signal).catch((error: unknown) => {
    throw new Error(`cannot reach ${host}: ${causeOf(error)}`, { cause: error });
  });
  await response.body?.cancel();
  if (response.ok) return;
  const answer = `${host} responded with ${response.status}`;
  if (response.status >= 500 || RETRYABLE_STATUSES.has(response.status)) {
    throw new RetryLater(answer, retryAfterMs(response.headers.get('retry-after')));
  }
  const isRedirect = response.status >= 300 && response.status < 400;
  throw new Undeliverable(isRedirect ? `${answer}; redirects are not followed` : answer);
}

async function send({ url, headers, body }: Post, signal: AbortSignal): Promise<Response> {
  return fetch(withoutCredentials(url), {
    method: 'POST',
    headers: headersOf(url, headers),
    body,
    redirect: 'manual',
    signal,
  });
}

/** fetch rejects a URL with credentials. */
function withoutCredentials(url: URL): URL {
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

/** The header holds seconds or a date. */
function retryAfterMs(header: string | null): number {
  if (header === null) return 0;
  const seconds = Number(header);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  return Number.isNaN(milliseconds) ? 0 : Math.max(0, milliseconds);
}

/** Redacted, because it goes to the log and may quote the request. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return redact(cause instanceof Error ? cause.message : String(cause));
}

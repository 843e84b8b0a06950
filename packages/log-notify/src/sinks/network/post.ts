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
export async function post({ url, headers, body }: Post, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'deskside-log-notify', ...headers },
    body,
    redirect: 'manual',
    signal,
  }).catch((error: unknown) => {
    throw new Error(`${url.host} can't be reached: ${causeOf(error)}`, { cause: error });
  });
  await response.body?.cancel();
  if (response.ok) return;
  const answer = `${url.host} answers ${response.status}`;
  if (response.status >= 500 || PASSING.has(response.status)) {
    throw new NotYet(answer, waitAskedBy(response.headers.get('retry-after')));
  }
  const redirects = response.status >= 300 && response.status < 400;
  throw new Undeliverable(redirects ? `${answer}: a redirect, which is not followed` : answer);
}

/** Milliseconds; the header has seconds, or a date. */
function waitAskedBy(header: string | null): number {
  if (header === null) return 0;
  const seconds = Number(header);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  return Number.isNaN(milliseconds) ? 0 : Math.max(0, milliseconds);
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

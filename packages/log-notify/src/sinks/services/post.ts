import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { unescape } from 'node:querystring';
import { addAbortSignal } from 'node:stream';
import { type Clock, systemClock } from '@deskside/core/base';
import { errnoOf, messageOf } from '@deskside/core/errors';
import { redact } from '@deskside/desktop';
import { MAX_SHOWN_CODE_POINTS } from '../../notification/safe-text.ts';
import type { Post, PostFor } from '../define-sink.ts';
import { type Environment, RetryLater, type Sink, Undeliverable } from '../sink.ts';

/** Statuses after which the same request may work later. */
const RETRYABLE_STATUSES = new Set([408, 425, 429]);

/** Statuses that say that a request is wrong, if nothing else is known of the service: it never works. */
const REFUSALS = new Set([400, 422]);

/** Statuses that say that a request, or its fields, are too large. */
const TOO_LARGE = new Set([413, 431]);

/** Codes of OpenSSL for a certificate of an authority that is not known. */
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_/;

/** No service gets more of a message than a part of this, in UTF-16 units. */
const MAX_REDACTED_UNITS = 50_000;

/** Characters of a service's answer in an error message. */
const MAX_ANSWER_CHARACTERS = 200;

/** How much of an error page is read, and for how long. */
const [MAX_ANSWER_UNITS, ANSWER_TIMEOUT_MS] = [4096, 1000];

/** A service that gets one request per notification. `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` apply, also in lower case. */
export function serviceSink(
  postFor: PostFor,
  env: Environment = {},
  maxCodePoints = MAX_SHOWN_CODE_POINTS,
  clock: Pick<Clock, 'now'> = systemClock,
): Sink {
  return {
    batchSize: 1,
    timeoutMs: 10_000,
    maxCodePoints,
    async deliver(batch, signal) {
      const { redactKnown } = await import('../../notification/known-secrets.ts');
      for (const each of batch) {
        const head = each.message.slice(0, MAX_REDACTED_UNITS);
        const message = redactKnown(redact(head)) + each.message.slice(head.length);
        await post(postFor({ ...each, message }, clock.now()), env, signal);
      }
    },
  };
}

/**
 * Sends a request. Does not follow redirects.
 *
 * @throws Undeliverable if the receiver rejects the request permanently, RetryLater if it may accept it later, and Error
 * if it accepts none before a correction, or cannot be reached
 */
async function post(request: Post, env: Environment, signal: AbortSignal): Promise<void> {
  const { host } = request.url;
  const { status, retryAfterMs, body } = await send(request, env, signal).catch((error: unknown) => {
    throw new Error(`cannot reach ${host}: ${causeOf(error)}`, { cause: error });
  });
  if (status === 204 && request.noContent !== undefined)
    throw new Error(`${host} responded with 204: ${request.noContent}`);
  if (status >= 200 && status < 300) return;
  const reason = redact(body.trim().slice(0, MAX_ANSWER_CHARACTERS));
  const answer = `${host} responded with ${status}${reason === '' ? '' : ` (${reason})`}`;
  if (status >= 500 || RETRYABLE_STATUSES.has(status)) {
    throw new RetryLater(answer, retryAfterMs);
  }
  const isRefused = request.refusal === undefined ? REFUSALS.has(status) : request.refusal.test(body);
  if (isRefused || TOO_LARGE.has(status)) throw new Undeliverable(answer);
  throw new Error(status < 400 ? `${answer}; redirects are not followed` : answer);
}

async function send(post: Post, env: Environment, signal: AbortSignal) {
  const { url, body, contentType = 'application/json' } = post;
  const { username, password } = url;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const isSecure = url.protocol === 'https:';
  const proxyEnv = { ...env };
  const agent = isSecure ? new HttpsAgent({ proxyEnv }) : new HttpAgent({ proxyEnv });
  const headers = { 'user-agent': 'deskside-log-notify', ...post.headers, 'content-type': contentType };
  // They become a header, unless there is one.
  const auth = username + password === '' ? undefined : `${unescape(username)}:${unescape(password)}`;
  const options = { method: 'POST', headers, auth, agent, signal };
  // In a URL, Node.js refuses what is no valid percent encoding.
  const target = Object.assign(new URL(url), { username: '', password: '' });
  const request = isSecure ? httpsRequest(target, options, resolve) : httpRequest(target, options, resolve);
  // Its own reason comes first. A change of the protocol has none.
  request.on('error', reject).on('close', () => reject(new Error('the connection ended without an answer')));
  request.end(body);
  try {
    const response = await promise;
    const { statusCode: status = 0 } = response;
    // The receiver has the notification when it says so. What follows is not worth a second delivery.
    const body = status >= 200 && status < 300 ? '' : await startOf(response);
    return { status, retryAfterMs: retryAfterMs(response.headers), body };
  } finally {
    agent.destroy();
  }
}

/** Of an answer that may never end, or be cut off. */
async function startOf(response: IncomingMessage): Promise<string> {
  let start = '';
  try {
    const ending = addAbortSignal(AbortSignal.timeout(ANSWER_TIMEOUT_MS), response);
    for await (const text of ending.setEncoding('utf8')) {
      start += String(text);
      if (start.length >= MAX_ANSWER_UNITS) break;
    }
  } catch {
    // What came says enough.
  }
  return start.slice(0, MAX_ANSWER_UNITS);
}

/** The header holds seconds, or a date on the clock of the receiver. */
function retryAfterMs({ 'retry-after': header = '', date = '' }: IncomingMessage['headers']): number {
  const seconds = Number(header);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(header) - Date.parse(date) : seconds * 1000;
  return Number.isNaN(milliseconds) ? 0 : Math.max(0, milliseconds);
}

/** Redacted, because it goes to the log and may quote the request. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = errnoOf(cause) ?? '';
  const remedy = 'Start this program with NODE_EXTRA_CA_CERTS=FILE of its authority';
  return UNTRUSTED.test(code)
    ? `its certificate is not trusted (${code}). ${remedy}`
    : redact(messageOf(cause) || String(cause));
}

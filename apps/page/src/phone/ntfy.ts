import type { Log } from '@deskside/core';
import { BoundedLines, parseObject, type Scheduler } from '@deskside/core/base';
import { errnoOf, messageOf } from '@deskside/core/errors';

const PUBLISH_TIMEOUT_MS = 10_000;
/** After a connection that worked; it doubles. */
const [RECONNECT_MS, MAX_RECONNECT_MS] = [5000, 60_000];
/** A server that refuses too many requests locks out the address. */
const REFUSED_MS = 300_000;
/** A server sends a line at least every 45 s. */
const SILENCE_MS = 120_000;
/** An event with a message of the longest kind. */
const MAX_LINE_BYTES = 16 * 1024;

export interface NtfyAccount {
  /** Without a slash at the end. */
  readonly url: string;
  readonly token?: string | undefined;
}

/** https://docs.ntfy.sh/publish/#publish-as-json */
export interface NtfyMessage {
  readonly topic: string;
  /** A later message with the same one replaces this one. Servers before 2.16 show both. */
  readonly sequence_id: string;
  readonly title: string;
  readonly message: string;
  /** 1 to 5. The lowest makes no sound. */
  readonly priority: number;
  readonly actions?: readonly NtfyAction[];
}

/** A button that sends a request from the phone. */
export interface NtfyAction {
  readonly action: 'http';
  readonly label: string;
  readonly url: string;
  readonly method: 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** The notification disappears when the request was accepted. */
  readonly clear: boolean;
}

function headersOf({ token }: NtfyAccount): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** Why a request failed: `fetch` itself says only "fetch failed", and a list of addresses has no message. */
export function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  return (cause instanceof Error && (cause.message || errnoOf(cause))) || messageOf(error);
}

/** @throws Error if the server does not accept it, or gives no answer in time */
export async function publish(account: NtfyAccount, message: NtfyMessage): Promise<void> {
  const response = await fetch(account.url, {
    method: 'POST',
    headers: { ...headersOf(account), 'content-type': 'application/json' },
    body: JSON.stringify(message),
    redirect: 'error',
    signal: AbortSignal.timeout(PUBLISH_TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the ntfy server answers ${response.status}`);
}

export interface Listening {
  readonly topic: string;
  /** `all`, or the id of the last message that was received: a time would need the clock of the server. */
  readonly since: string;
  readonly signal: AbortSignal;
  readonly clock: Scheduler;
  readonly log: Log;
  readonly onMessage: (text: string, id: string) => void;
}

/** Reads a topic until the signal, through a connection that this machine opens. What comes while it is broken is not lost. */
export async function listen(account: NtfyAccount, options: Listening): Promise<void> {
  const { topic, signal, clock, log, onMessage } = options;
  const reasons = new Set<string>();
  let reconnectMs = RECONNECT_MS;
  let { since } = options;
  while (!signal.aborted) {
    const silence = new AbortController();
    let isRefused = false;
    let cancel = clock.after(SILENCE_MS, () => silence.abort());
    try {
      const response = await fetch(`${account.url}/${topic}/json?since=${since}`, {
        headers: headersOf(account),
        redirect: 'error',
        signal: AbortSignal.any([signal, silence.signal]),
      });
      isRefused = response.status >= 400 && response.status < 500;
      if (!response.ok || response.body === null)
        throw new Error(`the ntfy server answers ${response.status}`);
      reconnectMs = RECONNECT_MS;
      const lines = new BoundedLines(MAX_LINE_BYTES);
      for await (const chunk of response.body) {
        cancel();
        cancel = clock.after(SILENCE_MS, () => silence.abort());
        reasons.clear();
        for (const line of lines.split(Buffer.from(chunk))) {
          const event = line.kind === 'line' ? messageIn(line.text) : undefined;
          if (event === undefined) continue;
          since = event.id;
          onMessage(event.message, event.id);
        }
      }
    } catch (error) {
      const reason = reasonOf(error);
      if (!signal.aborted && !reasons.has(reason))
        log.warn('answers from the phone are not received', { reason });
      reasons.add(reason);
    } finally {
      cancel();
    }
    if (!signal.aborted) await pause(isRefused ? REFUSED_MS : reconnectMs, signal, clock);
    reconnectMs = Math.min(2 * reconnectMs, MAX_RECONNECT_MS);
  }
}

function messageIn(line: string): { readonly id: string; readonly message: string } | undefined {
  const { id, event, message } = parseObject(line) ?? {};
  const isMessage = event === 'message' && typeof id === 'string' && /^[\w-]{1,64}$/.test(id);
  return isMessage && typeof message === 'string' ? { id, message } : undefined;
}

function pause(ms: number, signal: AbortSignal, clock: Scheduler): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end, { isBackground: true });
    signal.addEventListener('abort', end);
  });
}

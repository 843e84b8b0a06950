import { KEY_HEADER, MAX_BODY_BYTES, type PageAnswer, type PageDone, type PageEvent } from './protocol.ts';

const STORED = 'deskside-key';
const RETRY_MS = 2000;
/** Of a long answer that are read without a pause. */
const SLICE_BYTES = 64 * 1024;
/** The desk writes at least every ten seconds. */
const SILENCE_MS = 30_000;

let key = sessionStorage.getItem(STORED) ?? '';

/** Exchanges the secret of the link for a key, and removes it from the address. */
export async function redeemLink(): Promise<void> {
  const secret = location.hash.slice(1);
  if (!/^[\w-]{43}$/.test(secret)) return;
  history.replaceState(null, '', location.pathname);
  const answer = await jsonOf<{ readonly key: string }>(post('/key', { secret }));
  if (answer === undefined) return;
  key = answer.key;
  sessionStorage.setItem(STORED, key);
}

/** @returns undefined if the desk has none, or does not answer */
export function get<Answer>(path: string): Promise<Answer | undefined> {
  return jsonOf<Answer>(request(path));
}

/** What has become of a text. It is gone if what it is for has ended. */
export type Delivery = 'received' | 'gone' | 'tooLong' | 'noAnswer';

/** For the person. */
export const UNSENT = {
  tooLong: 'Nothing was sent: the text is too long. Shorten it, or write it to a file and name the file.',
  noAnswer: 'The desk did not answer. Your text is still here: send it again.',
} as const;

export function sendAnswer(id: string, answer: PageAnswer): Promise<Delivery> {
  // A page that closes sends it, too. Browsers limit the length of such requests.
  return deliver('/answer', { id, answer }, { keepalive: answer.kind === 'cancel' });
}

/** @returns undefined if it is not done */
export function completeTask(id: number): Promise<PageDone | undefined> {
  return jsonOf<PageDone>(post('/done', { id }));
}

/** Notifications were in view, by the ids of their records. */
export async function markSeen(ids: readonly string[]): Promise<void> {
  await answerOf(post('/seen', { ids }));
}

/** @returns false if the terminal of the agent is not known */
export async function showTerminal(session: string): Promise<boolean> {
  return (await jsonOf<{ readonly isKnown: boolean }>(post('/show', { session })))?.isKnown === true;
}

export function tellAgent(session: string, text: string): Promise<Delivery> {
  return deliver('/tell', { session, text });
}

async function deliver(path: string, body: unknown, init?: RequestInit): Promise<Delivery> {
  // The connection may break while the desk refuses it.
  if (new Blob([JSON.stringify(body)]).size > MAX_BODY_BYTES) return 'tooLong';
  const response = await answerOf(post(path, body, init));
  if (response?.ok === true) return 'received';
  return response?.status === 409 ? 'gone' : 'noAnswer';
}

/** What the desk sends, which serves the page: it has this form. */
async function jsonOf<Answer>(request: Promise<Response>): Promise<Answer | undefined> {
  const response = await answerOf(request);
  if (response?.ok !== true) return undefined;
  const answer: Answer | null = await response.json();
  return answer ?? undefined;
}

async function answerOf(request: Promise<Response>): Promise<Response | undefined> {
  try {
    return await request;
  } catch {
    // The desk has ended. The stream tells the person.
    return undefined;
  }
}

function request(path: string, signal?: AbortSignal): Promise<Response> {
  return fetch(path, { headers: { [KEY_HEADER]: key }, ...(signal && { signal }) });
}

function post(path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  return fetch(path, {
    ...init,
    method: 'POST',
    headers: { 'content-type': 'application/json', [KEY_HEADER]: key },
    body: JSON.stringify(body),
  });
}

export type LinkState = 'connected' | 'replaced' | 'lost' | 'refused';

/** Reads the stream again and again, until a newer page replaces this one or its key is refused. */
export async function followDesk(
  onEvent: (event: PageEvent) => void,
  onState: (state: LinkState) => void,
): Promise<void> {
  for (;;) {
    const ending = new AbortController();
    let silence = 0;
    let last: PageEvent | undefined;
    const listen = () => {
      clearTimeout(silence);
      silence = setTimeout(() => ending.abort(), SILENCE_MS);
    };
    try {
      listen();
      const response = await request('/events', ending.signal);
      if (response.status === 401) return onState('refused');
      if (response.ok && response.body !== null) {
        onState('connected');
        await readEvents(response.body, (event) => {
          listen();
          last = event;
          onEvent(event);
        });
      }
    } catch {
      // The desk has ended, or the machine slept.
    }
    clearTimeout(silence);
    if (last?.type === 'replaced') return onState('replaced');
    onState('lost');
    await new Promise((resolve) => {
      setTimeout(resolve, RETRY_MS);
    });
  }
}

async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: PageEvent) => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    for (let at = 0; at < value.length; at += SLICE_BYTES) {
      const slice = value.subarray(at, at + SLICE_BYTES);
      const lines = (rest + decoder.decode(slice, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const event: PageEvent = JSON.parse(line);
        onEvent(event);
        // So that keys and clicks are never late.
        await pause();
      }
    }
  }
}

function pause(): Promise<void> {
  const channel = new MessageChannel();
  return new Promise((resolve) => {
    channel.port1.addEventListener('message', () => resolve());
    channel.port1.start();
    channel.port2.postMessage(undefined);
  });
}

import { KEY_HEADER, type PageAnswer, type PageDone, type PageEvent } from './protocol.ts';

const STORED = 'deskside-key';
const RETRY_MS = 1000;
/** The desk writes at least every ten seconds. */
const SILENCE_MS = 30_000;

let key = sessionStorage.getItem(STORED) ?? '';

/** Exchanges the secret of the link for a key, and removes it from the address. */
export async function redeemLink(): Promise<void> {
  const secret = location.hash.slice(1);
  if (!/^[\w-]{43}$/.test(secret)) return;
  history.replaceState(null, '', location.pathname);
  const response = await post('/key', { secret });
  if (!response.ok) return;
  const answer: unknown = await response.json();
  if (typeof answer !== 'object' || answer === null || !('key' in answer)) return;
  key = String(answer.key);
  sessionStorage.setItem(STORED, key);
}

/** @returns undefined if the desk has none, or does not answer */
export async function get(path: string): Promise<unknown> {
  const response = await answerOf(fetch(path, { headers: { [KEY_HEADER]: key } }));
  return response?.ok === true ? response.json() : undefined;
}

/** @returns false if the item is not open anymore; undefined if the desk does not answer */
export async function sendAnswer(id: string, answer: PageAnswer): Promise<boolean | undefined> {
  const response = await answerOf(post('/answer', { id, answer }));
  if (response?.ok === true) return true;
  return response?.status === 409 ? false : undefined;
}

/** @returns undefined if it is not done */
export async function completeTask(id: number): Promise<PageDone | undefined> {
  const response = await answerOf(post('/done', { id }));
  return response?.ok === true ? response.json() : undefined;
}

/** @returns false if the terminal of the agent is not known */
export async function showTerminal(session: string): Promise<boolean> {
  const response = await answerOf(post('/show', { session }));
  const answer: unknown = response?.ok === true ? await response.json() : undefined;
  return typeof answer === 'object' && answer !== null && 'isKnown' in answer && answer.isKnown === true;
}

/** @returns false if the agent is gone */
export async function tellAgent(session: string, text: string): Promise<boolean> {
  return (await answerOf(post('/tell', { session, text })))?.ok === true;
}

async function answerOf(request: Promise<Response>): Promise<Response | undefined> {
  try {
    return await request;
  } catch {
    // The desk has ended. The stream tells the person.
    return undefined;
  }
}

function post(path: string, body: unknown): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [KEY_HEADER]: key },
    body: JSON.stringify(body),
  });
}

export type LinkState = 'connected' | 'lost' | 'refused';

/** Reads the stream, and connects again when it ends, until the desk refuses the key. */
export async function followDesk(
  onEvent: (event: PageEvent) => void,
  onState: (state: LinkState) => void,
): Promise<void> {
  for (;;) {
    const ending = new AbortController();
    let silence = 0;
    const listen = () => {
      clearTimeout(silence);
      silence = setTimeout(() => ending.abort(), SILENCE_MS);
    };
    try {
      listen();
      const response = await fetch('/events', { headers: { [KEY_HEADER]: key }, signal: ending.signal });
      if (response.status === 401) return onState('refused');
      if (response.ok && response.body !== null) {
        onState('connected');
        await readLines(response.body, (line) => {
          listen();
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the page is of the desk that sends it
          const event = JSON.parse(line) as PageEvent;
          onEvent(event);
        });
      }
    } catch {
      // The desk has ended, or the machine slept.
    }
    clearTimeout(silence);
    onState('lost');
    await new Promise((resolve) => {
      setTimeout(resolve, RETRY_MS);
    });
  }
}

async function readLines(body: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      onLine(line);
      // A long list is drawn in parts, so that keys and clicks are never late.
      await pause();
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

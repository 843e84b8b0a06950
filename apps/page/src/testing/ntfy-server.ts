import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '@deskside/testkit';
import { onTestFinished } from 'vitest';
import type { NtfyMessage } from '../phone/ntfy.ts';

interface Stored {
  readonly id: string;
  readonly time: number;
  readonly event: 'message';
  readonly topic: string;
  readonly message: string;
}

/**
 * A receiver with the protocol of ntfy: https://docs.ntfy.sh/publish/ and https://docs.ntfy.sh/subscribe/api/. It stores what
 * was published, and sends it to who subscribes later.
 *
 * @param token what publishing and subscribing need
 */
export async function startNtfy({ token }: { readonly token?: string } = {}) {
  const published: NtfyMessage[] = [];
  const stored: Stored[] = [];
  const streams = new Map<ServerResponse, string>();
  let refusal: ((request: IncomingMessage) => number | undefined) | undefined;
  const server = await listen((request, response) => void answer(request, response));
  const { origin: url } = server;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    const [, topic = '', form] = pathname.split('/');
    const body = await text(request);
    const status = refusal?.(request);
    if (status !== undefined) return void response.writeHead(status).end();
    const mayUse = token === undefined || request.headers.authorization === `Bearer ${token}`;
    const isReply = topic !== '' && form === undefined;
    if (!mayUse && !isReply) response.writeHead(403).end();
    else if (request.method === 'GET' && form === 'json')
      subscribe(topic, searchParams.get('since'), response);
    else if (request.method === 'POST' && topic === '') {
      const message = JSON.parse(body) as NtfyMessage;
      if (!isValid(message)) return void response.writeHead(400).end();
      published.push(message);
      response.end('{}');
    } else if (request.method === 'POST' && isReply) {
      const event: Stored = {
        id: `m${stored.length}`,
        time: Date.now() / 1000,
        event: 'message',
        topic,
        message: body,
      };
      stored.push(event);
      for (const [stream, its] of streams) if (its === topic) stream.write(`${JSON.stringify(event)}\n`);
      response.end(JSON.stringify(event));
    } else response.writeHead(404).end();
  }

  function subscribe(topic: string, since: string | null, response: ServerResponse): void {
    streams.set(response, topic);
    response.on('close', () => streams.delete(response));
    response.writeHead(200).write(`${JSON.stringify({ id: 'o', event: 'open', topic })}\n`);
    // All of it for `all`, and for an id that is not known.
    const later = stored.slice(stored.findIndex(({ id }) => id === since) + 1);
    const missed = later.filter(({ time }) => !(time < Number(since)));
    for (const event of missed) if (event.topic === topic) response.write(`${JSON.stringify(event)}\n`);
  }

  onTestFinished(() => server[Symbol.asyncDispose]());
  return {
    url,
    published,
    /** Who listens for answers now. */
    get listeners() {
      return [...streams.values()];
    },
    /** @param statusOf the status of a request that is refused, and undefined for the others */
    refuse: (statusOf: typeof refusal) => void (refusal = statusOf),
    /** The network of the desk breaks. */
    breakStreams: () => {
      for (const stream of streams.keys()) stream.destroy();
    },
    /** The person presses a button of the last message that has some. @returns the status that the phone gets */
    async press(label: string): Promise<number> {
      const action = published
        .flatMap(({ actions }) => actions ?? [])
        .findLast((each) => each.label === label);
      if (action === undefined) throw new Error(`no button ${label}`);
      const { url: target, method, headers = {}, body } = action;
      return (await fetch(target, { method, headers, body })).status;
    },
  };
}

function isValid({ topic, message, title, priority, actions = [] }: NtfyMessage): boolean {
  return (
    /^[-_A-Za-z0-9]{1,64}$/.test(topic) &&
    Buffer.byteLength(message) <= 4096 &&
    Buffer.byteLength(title) <= 1024 &&
    [1, 2, 3, 4, 5].includes(priority) &&
    actions.length <= 3
  );
}

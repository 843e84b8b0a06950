import type { ServerResponse } from 'node:http';

/** Milliseconds after which a page whose stream broke tries again. */
const RETRY_MS = 500;

/** Server-sent events to the page; a page that is loaded again takes the place of the one before. */
export interface EventStream {
  send(name: string, data?: unknown): void;
  attach(response: ServerResponse): void;
  end(): void;
}

/** @param onBroken called when the stream ended from the other side */
export function eventStream(onBroken: () => void): EventStream {
  let current: ServerResponse | undefined;
  const latest = new Map<string, unknown>();
  const write = (name: string, data: unknown) =>
    current?.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  return {
    send(name, data = {}) {
      if (name !== 'ping') latest.set(name, data);
      write(name, data);
    },
    attach(response) {
      const previous = current;
      current = response;
      previous?.end();
      response.on('close', () => {
        if (current !== response) return;
        current = undefined;
        onBroken();
      });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`retry: ${RETRY_MS}\n\n`);
      // What was said before the page listened.
      for (const [name, data] of latest) write(name, data);
    },
    end() {
      const response = current;
      current = undefined;
      response?.end();
    },
  };
}

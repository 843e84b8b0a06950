import { createServer, type ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { escapeHtml } from '@deskside/core/base';

const PATH = '/callback';

/** Where the browser ends after a login, once. */
export interface Redirect extends AsyncDisposable {
  readonly url: string;
  /** The parameters of the first address that has the state. */
  readonly params: Promise<URLSearchParams>;
  /** Shows in the browser what has happened. */
  finish(message: string): void;
}

/** Listens on a random port of loopback. An address with another state is refused, and the wait goes on. */
export async function openRedirect(state: string): Promise<Redirect> {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  let waiting: ServerResponse | undefined;
  let isUsed = false;
  const server = createServer((request, response) => {
    const target = URL.parse(request.url ?? '/', url);
    const isOwn =
      request.method === 'GET' && request.headers.host === new URL(url).host && target?.pathname === PATH;
    if (target === null || !isOwn) show(response, 404, 'Nothing is here.');
    else if (isUsed) show(response, 410, 'This login has ended.');
    else if (!hasState(target.searchParams, state))
      show(response, 400, 'This address belongs to another login.');
    else {
      isUsed = true;
      waiting = response;
      resolve(target.searchParams);
    }
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(0, '127.0.0.1', listening);
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}${PATH}`;
  return {
    url,
    params: promise,
    finish(message) {
      if (waiting !== undefined) show(waiting, 200, message);
    },
    async [Symbol.asyncDispose]() {
      if (waiting?.writableEnded === false) show(waiting, 500, 'The login has failed.');
      const closed = new Promise((done) => server.close(done));
      // The page goes out first. Browsers open connections that they do not use, and these would never end.
      if (waiting !== undefined) await finished(waiting).catch(() => undefined);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The address that a person has copied from the browser. @returns undefined if it belongs to another login */
export function pastedParams(text: string, state: string): URLSearchParams | undefined {
  const params = URL.parse(text.trim())?.searchParams;
  return params !== undefined && hasState(params, state) ? params : undefined;
}

function hasState(params: URLSearchParams, state: string): boolean {
  return params.getAll('state').join() === state;
}

function show(response: ServerResponse, status: number, message: string): void {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  };
  const style =
    'body{font:1.1em system-ui;margin:20vh auto;max-width:32em;padding:0 1em;color-scheme:light dark}';
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Deskside</title><style>${style}</style><h1>Deskside</h1><p>${escapeHtml(message)}</p></html>`;
  response.writeHead(status, headers).end(page);
}

import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { escapeHtml } from '@deskside/core/text';
import { type LoopbackServer, peerUid, serveLoopback } from '@deskside/desktop';

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
  const server: LoopbackServer = await serveLoopback({
    uidOf: peerUid,
    contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    onError: () => undefined,
    async handle({ method, url }, response) {
      const target = URL.parse(url ?? '/', server.origin);
      if (method !== 'GET' || target?.pathname !== PATH) show(response, 404, 'Nothing is here.');
      else if (waiting !== undefined) show(response, 410, 'This login has ended.');
      else if (!hasState(target.searchParams, state))
        show(response, 400, 'This address belongs to another login.');
      else {
        waiting = response;
        resolve(target.searchParams);
      }
    },
  });
  return {
    url: `${server.origin}${PATH}`,
    params: promise,
    finish(message) {
      if (waiting !== undefined) show(waiting, 200, message);
    },
    async [Symbol.asyncDispose]() {
      if (waiting?.writableEnded === false) show(waiting, 500, 'The login has failed.');
      // The page goes out first. Browsers open connections that they do not use, and these would never end.
      if (waiting !== undefined) await finished(waiting).catch(() => undefined);
      await server.close();
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
  const style =
    'body{font:1.1em system-ui;margin:20vh auto;max-width:32em;padding:0 1em;color-scheme:light dark}';
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Deskside</title><style>${style}</style><h1>Deskside</h1><p>${escapeHtml(message)}</p></html>`;
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', connection: 'close' }).end(page);
}

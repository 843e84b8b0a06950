import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
// oxlint-disable-next-line eslint/no-restricted-imports -- whose page it is; Windows has no export `getuid`
import process from 'node:process';

/** A page for the browser of this machine, on a free port of 127.0.0.1. */
export interface LoopbackServer {
  /** `http://127.0.0.1:43211` */
  readonly origin: string;
  /** Ends at once, also for a browser that still reads. */
  close(): Promise<void>;
}

export interface LoopbackOptions {
  /** The page is one document and loads nothing that this policy does not name. */
  readonly contentSecurityPolicy: string;
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** What `handle` throws. The connection ends. */
  onError(error: unknown): void;
  /**
   * Whose program has opened a connection, for a page whose address a browser gets in its command line, which other users can
   * read: they are refused. {@link peerUid} tells it.
   */
  readonly uidOf?: ((socket: Socket) => number | undefined) | undefined;
}

const HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/**
 * Listens, sets the headers of a page that is not shown inside others, and answers 421 to every other host: a name that
 * points at this machine is the first step of DNS rebinding.
 */
export async function serveLoopback(options: LoopbackOptions): Promise<LoopbackServer> {
  const { uidOf } = options;
  const uids = new WeakMap<Socket, number | undefined>();
  // Most programs that import this folder show no page.
  const { createServer } = await import('node:http');
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    response.setHeader('content-security-policy', options.contentSecurityPolicy);
    if (isOtherUser(uids.get(request.socket))) return refuse(response, 403);
    if (request.headers.host !== host) return refuse(response, 421);
    options.handle(request, response).catch((error: unknown) => {
      options.onError(error);
      response.destroy();
    });
  });
  if (uidOf !== undefined) server.on('connection', (socket) => uids.set(socket, uidOf(socket)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on TCP');
  const host = `127.0.0.1:${address.port}`;
  return {
    origin: `http://${host}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The program has closed its end, and the system does not tell any more whose it was. */
const ENDED_UID = -1;

/** The user id of the program at the other end, on Linux. @returns undefined if unknown, as for a browser outside of WSL */
export function peerUid(socket: Socket): number | undefined {
  // A socket for IPv6 can connect to an address of IPv4, and is in the second table only.
  const tables = textOf('/proc/net/tcp') + textOf('/proc/net/tcp6');
  // Read after the tables: it is undefined for a connection that was reset before, and is in neither.
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (remoteAddress === undefined) return ENDED_UID;
  const [peer, own] = [entryOf(remoteAddress, remotePort), entryOf(localAddress, localPort)];
  const columns = String.raw`(?: +\S+){4} +(?<uid>\d+) +\d+ +(?<inode>\d+) `;
  const row = new RegExp(`${peer} (?:0{16}FFFF0{4})?${own}${columns}`).exec(tables)?.groups;
  if (row === undefined) return undefined;
  return row['inode'] === '0' ? ENDED_UID : Number(row['uid']);
}

/** `127.0.0.1` and 8080 as `0100007F:1F90` */
function entryOf(address = '', port = 0): string {
  const bytes = Buffer.from(address.split('.').toReversed().map(Number));
  return `${bytes.toString('hex')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

function isOtherUser(uid: number | undefined): boolean {
  if (uid === undefined || uid === 0 || uid === process.getuid?.()) return false;
  // In a user namespace, all users that it does not map have one id, also root outside, which forwards ports.
  const isOutside = uid === Number(textOf('/proc/sys/kernel/overflowuid'));
  return !isOutside || /^ *0 +0 +4294967295$/m.test(textOf('/proc/self/uid_map'));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Another system, or a sandbox.
    return '';
  }
}

/** True for a request that another page of the browser makes, also one of another port of this machine. */
export function isForeign({ method, headers }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return headers.origin === undefined ? method !== 'GET' : headers.origin !== origin;
}

export function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close' }).end();
}

/**
 * @param type the media type that the request must name
 * @returns undefined if the request was refused: 415 for another type, 413 if the body is too long
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  type: string,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const stop = (status: number) => {
    refuse(response, status);
    return undefined;
  };
  if (request.headers['content-type'] !== type) return stop(415);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) return stop(413);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

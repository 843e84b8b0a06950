import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Publication {
  readonly topic: string;
  readonly title: string;
  readonly message: string;
  readonly priority: number;
}

/** A stand-in for an ntfy server at the other end of a slow network. */
export interface NtfyServer extends AsyncDisposable {
  readonly url: URL;
  /** What subscribers got. */
  readonly published: readonly Publication[];
}

/**
 * @param admit resolves when a connection gets through; the server reads nothing of it before. It may destroy the
 * connection
 */
export async function startNtfy(
  admit: (connection: Socket, count: number) => Promise<void>,
): Promise<NtfyServer> {
  const published: Publication[] = [];
  const http = createServer((request, response) => {
    void publicationIn(request).then((publication) => {
      if (publication === undefined) return response.writeHead(400).end('{"code":40024,"http":400}');
      published.push(publication);
      return response.end(JSON.stringify({ id: 'x', event: 'message', ...publication }));
    });
  });
  const connections = new Set<Socket>();
  const server = createTcpServer((socket) => {
    connections.add(socket);
    socket.on('error', () => undefined);
    void admit(socket, connections.size).then(() => {
      return socket.destroyed || http.emit('connection', socket);
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    published,
    async [Symbol.asyncDispose]() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      for (const socket of connections) socket.destroy();
      await closed.promise;
    },
  };
}

/** Checks what https://docs.ntfy.sh/publish/#publish-as-json requires. */
async function publicationIn(request: IncomingMessage): Promise<Publication | undefined> {
  const body = JSON.parse(await text(request)) as Publication;
  const isValid =
    request.method === 'POST' &&
    request.url === '/' &&
    /^[-_A-Za-z0-9]{1,64}$/.test(body.topic) &&
    [1, 2, 3, 4, 5].includes(body.priority) &&
    Buffer.byteLength(body.message) <= 4096;
  return isValid ? body : undefined;
}

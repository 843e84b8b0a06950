import type { Server } from 'node:http';

/** Listens on a free port of the loopback interface, and prints the URL for the load generator. */
export function listenAndPrint(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    process.stdout.write(`http://127.0.0.1:${address.port}/mcp\n`);
  });
}

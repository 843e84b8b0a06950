/** The floor: node:http that parses the request and answers the same result, without protocol and checks. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenAndPrint } from './listen.ts';
import { input, run } from '../tools.ts';

const server = createServer((request, response) => {
  void answer(request, response);
});
listenAndPrint(server);

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { id, params } = JSON.parse(await text(request)) as { id: number; params: { arguments: unknown } };
  const value = run(input.parse(params.arguments));
  const result = { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

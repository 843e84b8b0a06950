#!/usr/bin/env node
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { httpHandler, nodeHandler } from '@deskside/core';
import { libraryServer } from './tools.ts';

const books = new Map([[1, { title: 'Emma', year: 1815 }]]);
const mcp = httpHandler(libraryServer({ books }), { auth: { token: process.env['MCP_TOKEN'] ?? '' } });
const answerMcp = nodeHandler(mcp);

const server = createServer((request, response) => {
  if (request.url === '/mcp') answerMcp(request, response);
  else response.end('Hello');
});
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`MCP at http://127.0.0.1:${port}/mcp\n`);
});

process.once('SIGTERM', () => {
  server.close();
  void mcp.close();
});

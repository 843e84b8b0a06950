#!/usr/bin/env node
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { httpHandler } from '@deskside/core';
import express from 'express';
import { libraryServer } from './tools.ts';

const books = new Map([[1, { title: 'Emma', year: 1815 }]]);
const mcp = httpHandler(libraryServer({ books }), { auth: { token: process.env['MCP_TOKEN'] ?? '' } });

const app = express();
// Before express.json(): the handler reads the body itself.
app.all('/mcp', getRequestListener(mcp.fetch));
app.use(express.json());
app.post('/echo', (request, response) => void response.json(request.body));

const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`MCP at http://127.0.0.1:${port}/mcp\n`);
});

process.once('SIGTERM', () => {
  server.close();
  void mcp.close();
});

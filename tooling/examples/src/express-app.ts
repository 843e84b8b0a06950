#!/usr/bin/env node
import type { AddressInfo } from 'node:net';
import { httpHandler, nodeHandler } from '@deskside/core';
import express from 'express';
import { libraryServer } from './tools.ts';

const books = new Map([[1, { title: 'Emma', year: 1815 }]]);
const mcp = httpHandler(libraryServer({ books }), { auth: { token: process.env['MCP_TOKEN'] ?? '' } });

const app = express();
app.use(express.json());
app.all('/mcp', nodeHandler(mcp));
app.post('/echo', (request, response) => void response.json(request.body));

const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`MCP at http://127.0.0.1:${port}/mcp\n`);
});

process.once('SIGTERM', () => {
  server.close();
  void mcp.close();
});

#!/usr/bin/env node
import { serve as listen } from '@hono/node-server';
import { honoHandler, httpHandler } from '@deskside/core';
import { Hono } from 'hono';
import { libraryServer } from './tools.ts';

const books = new Map([[1, { title: 'Emma', year: 1815 }]]);
const mcp = httpHandler(libraryServer(books), { auth: { token: process.env['MCP_TOKEN'] ?? '' } });

const app = new Hono();
app.get('/', (c) => c.text('Hello'));
app.all('/mcp', honoHandler(mcp));

const port = Number(process.env['PORT'] ?? 3000);
const server = listen({ fetch: app.fetch, hostname: '127.0.0.1', port }, (address) => {
  process.stdout.write(`MCP at http://127.0.0.1:${address.port}/mcp\n`);
});

process.once('SIGTERM', () => {
  server.close();
  void mcp.close();
});

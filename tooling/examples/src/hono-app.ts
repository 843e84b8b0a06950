#!/usr/bin/env node
import { serve as listen } from '@hono/node-server';
import { honoHandler, httpHandler } from '@deskside/core';
import { Hono } from 'hono';
import { libraryServer } from './tools.ts';

const mcp = httpHandler(libraryServer(new Map()), { auth: { token: process.env['MCP_TOKEN'] ?? '' } });

const app = new Hono();
app.get('/', (c) => c.text('Hello'));
app.all('/mcp', honoHandler(mcp));

const server = listen({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000) }, ({ port }) => {
  process.stdout.write(`MCP at http://127.0.0.1:${port}/mcp\n`);
});
process.once('SIGTERM', () => {
  server.close();
  void mcp.close();
});

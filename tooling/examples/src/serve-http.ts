#!/usr/bin/env node
import { createHash } from 'node:crypto';
import {
  type Auth,
  type Authenticate,
  createLog,
  type HttpServeOptions,
  serve,
  type ServeOptions,
} from '@deskside/core';
import { travelServer } from './prompts.ts';
import { libraryServer } from './tools.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

/** Users by the digest of their Authorization header: comparing digests reveals nothing about a token. */
const users = new Map([
  [digest('Bearer token-of-ada-0001'), 'ada'],
  [digest('Bearer token-of-grace-01'), 'grace'],
]);
const byToken: Authenticate = async (authorization) => {
  const user = users.get(digest(authorization ?? ''));
  return user === undefined ? undefined : { user };
};

/** `{ token }` accepts one token, whose owner is `user`. `none` accepts every caller, and works on loopback only. */
const auth: Auth = byToken;
const http: HttpServeOptions = { host: '127.0.0.1', port: Number(process.env['PORT'] ?? 3000), auth };
const options: ServeOptions = {
  http,
  log: createLog({ level: 'warn', write: (line) => process.stderr.write(line) }),
};

/** Several servers by path. The first path is the one in `serving.url`. */
const serving = await serve(
  new Map([
    ['/mcp', libraryServer({ books: new Map([[1, { title: 'Emma', year: 1815 }]]) })],
    ['/mcp/travel', travelServer({ Italy: ['Rome', 'Milan'] })],
  ]),
  options,
);
process.stderr.write(`MCP at ${serving.url}\n`);
await serving.closed;

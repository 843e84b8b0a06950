#!/usr/bin/env node
import { createHash } from 'node:crypto';
import { serve, type Authenticate } from '@deskside/core/serving';
import { definition, open } from '@deskside/example';
import { travelServer } from './prompts.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

/** Users by the digest of their Authorization header: comparing digests reveals nothing about a token. */
const users = new Map([
  [digest('Bearer token-of-ada-0001'), 'ada'],
  [digest('Bearer token-of-grace-01'), 'grace'],
]);
const auth: Authenticate = async (authorization) => {
  const user = users.get(digest(authorization ?? ''));
  return user === undefined ? undefined : { user };
};

/** Several servers by path. The first path is the one in `serving.url`. */
const servers = new Map([
  ['/mcp', definition(open())],
  ['/mcp/travel', travelServer({ Italy: ['Rome', 'Milan'] })],
]);
const serving = await serve(servers, { http: { port: Number(process.env['PORT'] ?? 3000), auth } });
process.stderr.write(`MCP at ${serving.url}\n`);

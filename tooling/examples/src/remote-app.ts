#!/usr/bin/env node
import { type RemoteAuth, fastifyHandler, httpHandler, type VerifiedToken } from '@deskside/core/serving';
import { definition, open } from '@deskside/example';
import fastify from 'fastify';
import { createRemoteJWKSet, jwtVerify } from 'jose';

const issuer = process.env['ISSUER'] ?? 'https://login.example.com/';
const keys = createRemoteJWKSet(new URL('jwks.json', issuer));

/** Checks signature and issuer. Core checks audience, end and scopes. */
async function verifier(token: string): Promise<VerifiedToken> {
  const { payload } = await jwtVerify(token, keys, { issuer });
  const { sub = '', aud, exp, scope } = payload;
  return { user: sub, audience: aud, expiresAt: exp, scopes: String(scope).split(' '), claims: payload };
}

const resource = process.env['RESOURCE'] ?? 'https://trams.example.com/mcp';
const auth: RemoteAuth = { verifier, resource, authorizationServers: [issuer], scopes: ['trams'] };
const mcp = httpHandler(definition(open()), { auth });

const app = fastify();
app.all('/mcp', fastifyHandler(mcp));
app.all('/.well-known/oauth-protected-resource/mcp', fastifyHandler(mcp));
const url = await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 3000) });
process.stdout.write(`MCP at ${url}/mcp\n`);

process.once('SIGTERM', () => {
  void app.close();
  void mcp.close();
});

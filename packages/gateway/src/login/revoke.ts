import { selectClientAuthMethod } from '@modelcontextprotocol/client';
import { metadataFetch } from '../external/metadata-fetch.ts';
import type { StoredLogin } from './login-store.ts';

/** The person waits for it. */
const REVOKE_TIMEOUT_MS = 5000;

/** Ends the tokens of a login (RFC 7009). @returns whether the authorization server has confirmed it */
export async function revoke({ server, metadata, client, tokens }: StoredLogin): Promise<boolean> {
  if (tokens === undefined) return true;
  const endpoint: unknown = Object(metadata)['revocation_endpoint'];
  if (typeof endpoint !== 'string') return false;
  const { client_id, client_secret } = client;
  // As the SDK does at the token endpoint, also in that it does not encode what Basic contains: the server has accepted that.
  const method = selectClientAuthMethod(client, metadata?.token_endpoint_auth_methods_supported ?? []);
  const isBasic = method === 'client_secret_basic';
  const body = new URLSearchParams({
    token: tokens.refresh ?? tokens.access,
    ...(isBasic ? {} : { client_id }),
    ...(method === 'client_secret_post' && client_secret !== undefined ? { client_secret } : {}),
  });
  try {
    const headers = isBasic ? { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` } : {};
    const fetch = metadataFetch(server, AbortSignal.timeout(REVOKE_TIMEOUT_MS));
    return (await fetch(endpoint, { method: 'POST', headers, body })).ok;
  } catch {
    return false;
  }
}

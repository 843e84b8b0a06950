import { metadataFetch } from '../external/metadata-fetch.ts';
import type { StoredLogin } from './store.ts';

/** Ends the tokens of a login (RFC 7009). @returns whether the authorization server has confirmed it */
export async function revoke({ server, metadata, client, tokens }: StoredLogin): Promise<boolean> {
  if (tokens === undefined) return true;
  const endpoint: unknown = Object(metadata)['revocation_endpoint'];
  if (typeof endpoint !== 'string') return false;
  const { client_id, client_secret } = client;
  const body = new URLSearchParams({
    token: tokens.refresh ?? tokens.access,
    client_id,
    ...(client_secret === undefined ? {} : { client_secret }),
  });
  try {
    return (await metadataFetch(server)(endpoint, { method: 'POST', body })).ok;
  } catch {
    return false;
  }
}

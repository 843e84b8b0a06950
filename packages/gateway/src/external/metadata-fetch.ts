import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import type { FetchLike } from '@modelcontextprotocol/client';
import { parseObject } from '@deskside/core/base';
import { bodyText } from './events.ts';

const MAX_METADATA_BYTES = 64 * 1024;
const METADATA_TIMEOUT_MS = 5000;
/** The token that was sent may be used up by then, and without the answer the login is lost. */
const TOKEN_TIMEOUT_MS = 30_000;

const PRIVATE = new BlockList();
for (const [network, bits] of [
  ...Object.entries({ '0.0.0.0': 8, '10.0.0.0': 8, '100.64.0.0': 10, '127.0.0.0': 8, '169.254.0.0': 16 }),
  ...Object.entries({ '172.16.0.0': 12, '192.168.0.0': 16, '::': 127, 'fc00::': 7, 'fe80::': 10 }),
]) {
  PRIVATE.addSubnet(network, bits, isIP(network) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Asks what a server says about its login: at most 64 kB within 5 s, or 30 s for a form, as the SDK asks for tokens. Follows no
 * redirect, and asks no address of this machine or its network unless the server itself is there: the server would choose what
 * the desk asks.
 *
 * @param server its URL
 * @param onIssuer gets an issuer as the server writes it
 */
export function metadataFetch(
  server: string,
  signal?: AbortSignal,
  onIssuer?: (issuer: string) => void,
): FetchLike {
  return async (target, init = {}) => {
    await checkAddress(new URL(target), new URL(server));
    const limitMs = init.body instanceof URLSearchParams ? TOKEN_TIMEOUT_MS : METADATA_TIMEOUT_MS;
    const signals = [signal, init.signal, AbortSignal.timeout(limitMs)];
    const response = await fetch(target, {
      ...init,
      redirect: 'manual',
      signal: AbortSignal.any(signals.filter((each) => each instanceof AbortSignal)),
    });
    const { status, statusText, headers } = response;
    const body = await bodyText(response, MAX_METADATA_BYTES);
    // A response with one of these must not have a body.
    const hasBody = ![101, 204, 205, 304].includes(status);
    return new Response(hasBody ? cleaned(body, onIssuer) : null, { status, statusText, headers });
  };
}

/**
 * The SDK refuses optional members that are null or empty, and an issuer that differs from its address by a final slash; servers
 * send both. An issuer without the slash is accepted for both.
 */
function cleaned(body: string, onIssuer?: (issuer: string) => void): string {
  const members = parseObject(body);
  if (members === undefined) return body;
  if (typeof members['issuer'] === 'string') onIssuer?.(members['issuer']);
  return JSON.stringify(members, (key, member: unknown) => {
    if (Array.isArray(member)) return member.filter((each) => each !== null && each !== '');
    if (key === 'issuer' && typeof member === 'string') return member.replace(/\/$/, '');
    return member === null || member === '' ? undefined : member;
  });
}

async function checkAddress(target: URL, server: URL): Promise<void> {
  if (target.origin === server.origin || (await isPrivate(server.hostname))) return;
  // The certificate also proves that the name stands for the same machine when it is asked.
  if (target.protocol !== 'https:') throw new Error(`${target.host} is not asked without https.`);
  if (await isPrivate(target.hostname)) {
    throw new Error(`${target.host} is an address of this machine or its network.`);
  }
}

async function isPrivate(hostname: string): Promise<boolean> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  // What only a proxy finds is not here.
  const found = () => lookup(host, { all: true }).catch(() => []);
  const addresses = isIP(host) === 0 ? await found() : [{ address: host }];
  return addresses.some(({ address }) => PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'));
}

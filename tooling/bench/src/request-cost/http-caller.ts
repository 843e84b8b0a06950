import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { type Caller, clientInfo, resultOf } from './caller.ts';

export type Fetch = (request: Request) => Promise<Response>;

const PROTOCOL = '2026-07-28';
const envelope = {
  [PROTOCOL_VERSION_META_KEY]: PROTOCOL,
  [CLIENT_INFO_META_KEY]: clientInfo,
  [CLIENT_CAPABILITIES_META_KEY]: {},
};

/** A client of the modern era that passes its requests directly to a handler, without a socket. */
export function httpCaller(handle: Fetch): Caller {
  let id = 0;
  return async (method, params) => {
    id += 1;
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': PROTOCOL,
        'Mcp-Method': method,
        ...(typeof params['name'] === 'string' ? { 'Mcp-Name': params['name'] } : {}),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: envelope } }),
    });
    return resultOf(await (await handle(request)).text());
  };
}

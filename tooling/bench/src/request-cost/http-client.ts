import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { type Call, clientInfo, initializeParams, resultOf } from './call.ts';

/** `sessions` and `stateless` are two ways to speak 2025-11-25. */
export type Leg = 'modern' | 'sessions' | 'stateless';

interface Answer {
  readonly sessionId: string | undefined;
  readonly body: string;
}

const MODERN = '2026-07-28';
const envelope = {
  [PROTOCOL_VERSION_META_KEY]: MODERN,
  [CLIENT_INFO_META_KEY]: clientInfo,
  [CLIENT_CAPABILITIES_META_KEY]: {},
};

/** A client with one connection, which it keeps open. On `sessions` it also has its own session. */
export async function httpClient(url: string, token: string, leg: Leg): Promise<Call> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let id = 0;
  const session: { id?: string } = {};

  const post = (method: string, message: object): Promise<Answer> => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${token}`,
      ...(method === 'initialize'
        ? {}
        : { 'MCP-Protocol-Version': leg === 'modern' ? MODERN : initializeParams.protocolVersion }),
      ...(session.id === undefined ? {} : { 'Mcp-Session-Id': session.id }),
    };
    const modern = leg === 'modern' ? { 'Mcp-Method': method, ...nameHeader(message) } : {};
    return send(url, agent, { ...headers, ...modern }, body);
  };

  const call: Call = async (method, params) => {
    id += 1;
    const sent = leg === 'modern' ? { ...params, _meta: envelope } : params;
    const { body } = await post(method, { id, method, params: sent });
    return resultOf(body);
  };
  if (leg !== 'sessions') return call;
  const opened = await post('initialize', { id: 0, method: 'initialize', params: initializeParams });
  resultOf(opened.body);
  if (opened.sessionId !== undefined) session.id = opened.sessionId;
  await post('notifications/initialized', { method: 'notifications/initialized' });
  return call;
}

function nameHeader(message: object): Record<string, string> {
  const { params } = message as { params?: { name?: string } };
  return params?.name === undefined ? {} : { 'Mcp-Name': params.name };
}

function send(url: string, agent: Agent, headers: object, body: string): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request(url, { method: 'POST', agent, headers: { ...headers } }, (response) => {
    read(response).then(resolve, reject);
  });
  sent.once('error', reject);
  sent.end(body);
  return promise;
}

async function read(response: IncomingMessage): Promise<Answer> {
  const sessionId = response.headers['mcp-session-id'];
  return { sessionId: typeof sessionId === 'string' ? sessionId : undefined, body: await text(response) };
}

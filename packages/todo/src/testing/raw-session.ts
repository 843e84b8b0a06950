const PROTOCOL_VERSION = '2025-11-25';

/** A session without a client of the SDK, which takes seconds to load beside busy processes. */
export interface RawSession {
  readonly headers: Headers;
  /** Sends a request or a notification. */
  send(message: object): Promise<Response>;
  /** @returns the first text of the answer */
  callTool(name: string, args: object): Promise<string>;
}

/** Begins a session. @throws an error if the server is gone */
export async function rawSession(url: string, token: string): Promise<RawSession> {
  const headers = new Headers({
    Authorization: `Bearer ${token}`,
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
  });
  const send = (message: object) =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo };
  const greeted = await send({ id: 1, method: 'initialize', params });
  await greeted.text();
  headers.set('Mcp-Session-Id', greeted.headers.get('Mcp-Session-Id') ?? '');
  headers.set('MCP-Protocol-Version', PROTOCOL_VERSION);
  await send({ method: 'notifications/initialized' });
  return {
    headers,
    send,
    async callTool(name, args) {
      const answer = await send({ id: 2, method: 'tools/call', params: { name, arguments: args } });
      const text = await answer.text();
      const [, json = ''] = /^(?:data: )?(\{.*\})$/m.exec(text) ?? [];
      if (json === '') throw new Error(`${answer.status} ${text}`);
      const { result } = JSON.parse(json) as { result?: { content: readonly { text: string }[] } };
      return result?.content[0]?.text ?? json;
    },
  };
}

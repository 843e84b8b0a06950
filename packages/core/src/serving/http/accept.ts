/**
 * Lets the SDK accept what RFC 9110 does: a wildcard, and no header, include both types of the protocol. A client that takes JSON
 * only gets the answers without what the server tells before them.
 */
export async function negotiated(
  { method, headers }: Request,
  answer: () => Promise<Response>,
): Promise<Response> {
  const accept = (headers.get('accept') ?? '*/*').toLowerCase();
  const takesStreams = /\*\/\*|text\/(?:\*|event-stream)/.test(accept);
  const takesJson = /\*\/\*|application\/(?:\*|json)/.test(accept);
  if (method === 'GET' ? takesStreams : takesJson)
    headers.set('accept', 'application/json, text/event-stream');
  const response = await answer();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  // Node knows if the client wants to close the connection. The SDK keeps that of each stream open.
  if (isStream) response.headers.delete('connection');
  if (takesStreams || !isStream || headers.get('mcp-method') === 'subscriptions/listen') return response;
  const answers = (await response.text()).match(/(?<=^data: )\{.*$/gm)?.filter(isAnswer) ?? [];
  // Of a request that was cancelled.
  if (answers.length === 0) return new Response(null, { status: 202 });
  const body = answers.length === 1 ? answers.join('') : `[${answers.join(',')}]`;
  const own = new Headers(response.headers);
  own.set('content-type', 'application/json');
  return new Response(body, { status: response.status, headers: own });
}

function isAnswer(text: string): boolean {
  return !('method' in Object(JSON.parse(text)));
}

import { isInitializeRequest } from '@modelcontextprotocol/server';

/**
 * Lets the SDK accept what RFC 9110 does: a wildcard, and no header, include both types of the protocol. A client that takes JSON
 * only gets the answers without what the server tells before them.
 */
export async function negotiated(
  { method, headers }: Request,
  answer: () => Promise<Response>,
): Promise<Response> {
  const isOfStreams = takesStreams(headers);
  const takesJson = /\*\/\*|application\/(?:\*|json)/.test(accepted(headers));
  const isComplete = isOfStreams && takesJson && !accepted(headers).includes('*');
  if (!isComplete && (method === 'GET' ? isOfStreams : takesJson))
    headers.set('accept', 'application/json, text/event-stream');
  const response = await answer();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  // Node knows if the client wants to close the connection. The SDK keeps that of each stream open.
  if (isStream) response.headers.delete('connection');
  if (isOfStreams || !isStream || headers.get('mcp-method') === 'subscriptions/listen') return response;
  const answers = (await response.text()).match(/(?<=^data: )\{.*$/gm)?.filter(isAnswer) ?? [];
  // Of a request that was cancelled.
  if (answers.length === 0) return new Response(null, { status: 202 });
  const body = answers.length === 1 ? answers.join('') : `[${answers.join(',')}]`;
  const own = new Headers(response.headers);
  own.set('content-type', 'application/json');
  return new Response(body, { status: response.status, headers: own });
}

/** A client that takes JSON only cannot be asked during a call: its session begins as that of a client that answers no questions. */
export function withoutQuestions({ headers }: Request, body: unknown): unknown {
  if (takesStreams(headers) || !isInitializeRequest(body)) return body;
  return { ...body, params: { ...body.params, capabilities: {} } };
}

function takesStreams(headers: Headers): boolean {
  return /\*\/\*|text\/(?:\*|event-stream)/.test(accepted(headers));
}

function accepted(headers: Headers): string {
  return (headers.get('accept') ?? '*/*').toLowerCase();
}

function isAnswer(text: string): boolean {
  return !('method' in Object(JSON.parse(text)));
}

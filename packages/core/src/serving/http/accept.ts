import { isInitializeRequest } from '@modelcontextprotocol/server';

/** A client that takes JSON only gets the answers without what the server tells before them. */
export async function negotiated({ headers }: Request, response: Response): Promise<Response> {
  if (takesStreams(headers) || headers.get('mcp-method') === 'subscriptions/listen') return response;
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return response;
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

/** As RFC 9110 says: a wildcard, and no header, include streams. */
function takesStreams(headers: Headers): boolean {
  return /\*\/\*|text\/(?:\*|event-stream)/i.test(headers.get('accept') ?? '*/*');
}

function isAnswer(text: string): boolean {
  return !('method' in Object(JSON.parse(text)));
}

import { parseObject } from '../../base/json.ts';

/** The protocol demands that a client names both. */
const BOTH = 'application/json, text/event-stream';

/** True if a header `Accept` includes a type (RFC 9110): `text/*` includes `text/event-stream`. */
function accepts(header: string, type: string): boolean {
  const [group] = type.split('/');
  const ranges = header.split(',').map((range) => range.split(';')[0]?.trim().toLowerCase());
  return ranges.some((range) => range === '*/*' || range === `${group}/*` || range === type);
}

/**
 * Lets the SDK accept what RFC 9110 does: wildcards, and no header at all.
 *
 * @returns whether the client takes JSON only: then a request with one answer can be served with `onlyAnswer`
 */
export function widenAccept({ method, headers }: Request): boolean {
  const given = headers.get('accept') ?? '*/*';
  const takesStreams = accepts(given, 'text/event-stream');
  const takesJson = method === 'POST' ? accepts(given, 'application/json') : takesStreams;
  if (takesStreams && takesJson) headers.set('accept', BOTH);
  return takesJson && !takesStreams;
}

/** Answers a client that takes JSON only: what the stream of the response ends with, and nothing of what was told before. */
export async function onlyAnswer({ headers }: Request, answer: () => Promise<Response>): Promise<Response> {
  headers.set('accept', BOTH);
  const response = await answer();
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return response;
  const events = (await response.text()).matchAll(/^data: (.*)$/gm);
  const answers = [...events]
    .map(([, text = '']) => text)
    .filter((text) => parseObject(text)?.['method'] === undefined && text !== '');
  const own = new Headers(response.headers);
  own.set('content-type', 'application/json');
  const [only = 'null', ...others] = answers;
  const body = others.length === 0 ? only : `[${answers.join(',')}]`;
  return new Response(body, { status: response.status, headers: own });
}

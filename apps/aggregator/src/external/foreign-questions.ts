import { UserError } from '@deskside/core';
import { isObject } from '@deskside/core/base';
import { escapeInvisible } from '@deskside/core/text';
import type { Result } from '@modelcontextprotocol/client';

const SECRET =
  /pass(?:word|wd|phrase|code)|secret|api[\s_-]?key|private[\s_-]?key|credential|\btoken\b|\bpin\b|\bcvv\b/i;

type Params = Readonly<Record<string, unknown>> | undefined;

/**
 * A question of an external server as its caller gets it. The client shows it as a question of Deskside, so it names the
 * server, and the host of an address.
 *
 * @throws UserError if it asks for a secret
 */
export function foreignQuestion(id: string, method: string, params: Params): Params {
  if (method !== 'elicitation/create' || params === undefined) return params;
  if (asksForSecret(params['requestedSchema'])) {
    throw new UserError({
      error: `${id} asks for a password or key. Deskside does not pass such a question.`,
      code: 'REFUSED',
      hint: `The person can give it to ${id} in deskside.toml: \${file:PATH} in env or headers.`,
    });
  }
  const { message, url } = params;
  const host = typeof url === 'string' ? ` (opens ${URL.parse(url)?.host ?? 'an invalid address'})` : '';
  const text = escapeInvisible(String(message), { multiline: true });
  return { ...params, message: `[${id}] ${text}${host}` };
}

/** A result that asks, of the modern era. */
export function withForeignQuestions(id: string, result: Result): Result {
  const { inputRequests } = result;
  if (!isObject(inputRequests)) return result;
  const requests = Object.entries(inputRequests).map(([key, request]) => {
    if (!isObject(request) || !isObject(request['params'])) return [key, request] as const;
    const { method, params } = request;
    return [key, { ...request, params: foreignQuestion(id, String(method), params) }] as const;
  });
  return { ...result, inputRequests: Object.fromEntries(requests) };
}

/** Names, titles and descriptions of the fields. */
function asksForSecret(schema: unknown): boolean {
  if (!isObject(schema) || !isObject(schema['properties'])) return false;
  return Object.entries(schema['properties']).some(([name, field]) => {
    const { title, description, format } = isObject(field) ? field : {};
    return format === 'password' || [name, title, description].some((text) => SECRET.test(String(text)));
  });
}

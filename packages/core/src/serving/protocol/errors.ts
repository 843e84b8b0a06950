import { INTERNAL_ERROR, INVALID_PARAMS, ProtocolError } from '@modelcontextprotocol/server';
import type { RequestContext } from '../../definition/context.ts';
import { textOf, type ToolName, UserError } from '../../errors/index.ts';

/**
 * Turns what a handler throws into an error of the protocol: the sentence as message, code and hint as data. Anything
 * but a UserError is logged and hidden from the client.
 *
 * @param subject the tool, prompt or URI of the request
 */
export function toProtocolError(
  error: unknown,
  { log, correlationId, signal, toolName }: RequestContext,
  method: string,
  subject: string,
): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (UserError.is(error)) return userProtocolError(error, toolName, method, subject);
  if (!signal.aborted) log.error('request failed', { method, correlationId, error });
  return new ProtocolError(INTERNAL_ERROR, 'Internal error', { correlationId });
}

function userProtocolError(
  { failure }: UserError,
  toolName: ToolName,
  method: string,
  subject: string,
): ProtocolError {
  if ('code' in failure) {
    const { error, code, hint } = failure;
    const isMissing = method === 'resources/read' && code === 'NOT_FOUND';
    const data = { code, hint: textOf(hint, toolName), ...(isMissing ? { uri: subject } : {}) };
    return new ProtocolError(SERVER_SIDE_CODES.has(code) ? INTERNAL_ERROR : INVALID_PARAMS, error, data);
  }
  const { exactly, next } = failure;
  const hint = next === undefined ? {} : { hint: textOf(next, toolName) };
  if (typeof exactly === 'string') return new ProtocolError(INVALID_PARAMS, exactly, hint);
  const { error, ...data } = exactly;
  const message = typeof error === 'string' ? error : JSON.stringify(exactly);
  return new ProtocolError(INVALID_PARAMS, message, { ...data, ...hint });
}

const SERVER_SIDE_CODES: ReadonlySet<string> = new Set(['BUSY', 'RATE_LIMITED', 'UNAVAILABLE', 'INTERNAL']);

import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  ListPromptsRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/core';
import { INTERNAL_ERROR, INVALID_PARAMS, ProtocolError } from '@modelcontextprotocol/server';
import type { RequestContext } from '../../definition/context.ts';
import { textOf, type ToolName, UserError } from '../../errors/index.ts';
import { escapeInvisible } from '../../text/index.ts';

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
    return new ProtocolError(isCallersFault(code) ? INVALID_PARAMS : INTERNAL_ERROR, error, data);
  }
  const { exactly, next } = failure;
  const hint = next === undefined ? {} : { hint: textOf(next, toolName) };
  if (typeof exactly === 'string') return new ProtocolError(INVALID_PARAMS, exactly, hint);
  const { error, ...data } = exactly;
  const message = typeof error === 'string' ? error : JSON.stringify(exactly);
  return new ProtocolError(INVALID_PARAMS, message, { ...data, ...hint });
}

const SERVER_SIDE_CODES: ReadonlySet<string> = new Set(['BUSY', 'RATE_LIMITED', 'UNAVAILABLE', 'INTERNAL']);

function isCallersFault(code: string): boolean {
  return !SERVER_SIDE_CODES.has(code);
}

/** Not `specTypeSchemas`, with which every bin would create the schemas of all types at its start. */
const REQUEST_SCHEMAS = {
  'completion/complete': CompleteRequestSchema,
  initialize: InitializeRequestSchema,
  'logging/setLevel': SetLevelRequestSchema,
  'prompts/get': GetPromptRequestSchema,
  'prompts/list': ListPromptsRequestSchema,
  'resources/list': ListResourcesRequestSchema,
  'resources/read': ReadResourceRequestSchema,
  'resources/subscribe': SubscribeRequestSchema,
  'resources/templates/list': ListResourceTemplatesRequestSchema,
  'resources/unsubscribe': UnsubscribeRequestSchema,
  'tools/call': CallToolRequestSchema,
  'tools/list': ListToolsRequestSchema,
} as const;

/** Returns the error for a request that its schema in the specification rejects; undefined for any other request. */
export function invalidParams(method: string, request: unknown): ProtocolError | undefined {
  if (!isKnownMethod(method)) return undefined;
  const { error } = REQUEST_SCHEMAS[method].safeParse(request);
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return undefined;
  const path = issue.path.map(String);
  const name = (path[0] === 'params' ? path.slice(1) : path).join('.');
  const subject = name === '' ? 'params' : `"${escapeInvisible(name)}"`;
  return new ProtocolError(INVALID_PARAMS, `Invalid params: ${subject} ${requirementOf(issue)}.`);
}

function isKnownMethod(method: string): method is keyof typeof REQUEST_SCHEMAS {
  return Object.hasOwn(REQUEST_SCHEMAS, method);
}

/** The specification's schemas are Zod schemas, whose issues name the expected type. */
function requirementOf(issue: object): string {
  const expected = 'expected' in issue ? String(issue.expected) : '';
  return REQUIREMENTS[expected] ?? 'is invalid';
}

const REQUIREMENTS: Readonly<Record<string, string>> = {
  array: 'must be an array',
  boolean: 'must be true or false',
  number: 'must be a number',
  object: 'must be an object',
  record: 'must be an object',
  string: 'must be a string',
};

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
import { INVALID_PARAMS, ProtocolError } from '@modelcontextprotocol/server';
import { escapeInvisible } from '../../text/index.ts';

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

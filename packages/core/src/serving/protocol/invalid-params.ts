import { INVALID_PARAMS, ProtocolError } from '@modelcontextprotocol/server';
import { parsedJson } from '../../base/json.ts';
import { isObject } from '../../base/values.ts';
import { escapeInvisible } from '../../text/index.ts';

/**
 * The error for a request that its schema in the specification rejects, of the SDK's error, whose message ends with Zod's issues as
 * JSON; undefined for any other error.
 */
export function invalidParams(error: unknown): ProtocolError | undefined {
  if (!(error instanceof Error)) return undefined;
  const issues = parsedJson(error.message.slice(error.message.indexOf('[')));
  const issue: unknown = Array.isArray(issues) ? issues[0] : undefined;
  if (!isObject(issue) || !Array.isArray(issue['path'])) return undefined;
  const path = issue['path'].map(String);
  const name = (path[0] === 'params' ? path.slice(1) : path).join('.');
  const subject = name === '' ? 'params' : `"${escapeInvisible(name)}"`;
  const requirement = REQUIREMENTS[String(issue['expected'])] ?? 'is invalid';
  return new ProtocolError(INVALID_PARAMS, `Invalid params: ${subject} ${requirement}.`);
}

const REQUIREMENTS: Readonly<Record<string, string>> = {
  array: 'must be an array',
  boolean: 'must be true or false',
  number: 'must be a number',
  object: 'must be an object',
  record: 'must be an object',
  string: 'must be a string',
};

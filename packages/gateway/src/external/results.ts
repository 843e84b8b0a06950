import {
  type Result,
  SdkError,
  SdkErrorCode,
  specTypeSchemas,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client';

/** Each method that the desk asks servers for, with the schema of its result. */
const RESULTS = {
  'tools/call': specTypeSchemas.CallToolResult,
  'tools/list': specTypeSchemas.ListToolsResult,
  'prompts/get': specTypeSchemas.GetPromptResult,
  'prompts/list': specTypeSchemas.ListPromptsResult,
  'resources/read': specTypeSchemas.ReadResourceResult,
  'resources/list': specTypeSchemas.ListResourcesResult,
  'resources/templates/list': specTypeSchemas.ListResourceTemplatesResult,
  'completion/complete': specTypeSchemas.CompleteResult,
} as const;

export type Method = keyof typeof RESULTS;

/**
 * Checks a result as the SDK does, and changes nothing: the SDK's own reading of it has lost unknown fields. See
 * docs/decisions/0057.
 *
 * @throws SdkError
 */
export function checkResult(method: Method, era: 'legacy' | 'modern', result: Result): void {
  const { resultType: type, inputRequests, requestState } = result;
  if (era === 'modern' && type === 'input_required' && (inputRequests ?? requestState) !== undefined) return;
  const isKnown = era === 'legacy' || type === 'complete';
  const schema: StandardSchemaV1 = RESULTS[method];
  const outcome = isKnown ? schema['~standard'].validate(withContent(method, result)) : undefined;
  if (outcome === undefined || outcome instanceof Promise || outcome.issues !== undefined)
    throw new SdkError(SdkErrorCode.InvalidResult, `Invalid result for ${method}`);
}

/** Servers of the legacy era may leave out the content of a tool's result. */
function withContent(method: Method, value: Result): Result {
  return method === 'tools/call' && !('content' in value) ? { ...value, content: [] } : value;
}

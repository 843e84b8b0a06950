import {
  Client,
  ProtocolError,
  type RequestOptions,
  type Result,
  specTypeSchemas,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client';
import { asItCame, UnreadError } from './server-transport.ts';

/** Each method that the desk forwards, with the schema of its result. */
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

/** The desk has its own limits. */
export const NO_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * The SDK's client, with results and errors as `ServerTransport` delivers them: the SDK checks a result and passes it on, but
 * returns its own reading of it, which has lost unknown fields, unless it is given a schema. See docs/decisions/0057.
 */
export class LosslessClient extends Client {
  async forward(
    request: { readonly method: Method; readonly params: Record<string, unknown> },
    options: RequestOptions,
  ): Promise<Result> {
    // In the modern era the SDK checks a result before it asks for a schema.
    const check =
      this.getProtocolEra() === 'modern' ? accept : (checks[request.method] ??= checkOf(request.method));
    try {
      const sent = { timeout: NO_TIMEOUT_MS, ...options, allowInputRequired: true } as const;
      return asItCame(await this.request({ ...request }, schemaOf(check), sent));
    } catch (error) {
      throw error instanceof ProtocolError && error.data instanceof UnreadError
        ? error.data.asProtocolError()
        : error;
    }
  }
}

type Check = (value: Result) => StandardSchemaV1.Result<Result> | Promise<StandardSchemaV1.Result<Result>>;

const accept: Check = (value) => ({ value });

const checks: Partial<Record<Method, Check>> = {};

/** Accepts what the specification's schema accepts, and changes nothing. */
function checkOf(method: Method): Check {
  const schema: StandardSchemaV1 = RESULTS[method];
  return async (value) => {
    const { issues } = await schema['~standard'].validate(withContent(method, value));
    return issues === undefined ? { value } : { issues };
  };
}

/** Servers of the legacy era may leave out the content of a tool's result. */
function withContent(method: Method, value: Result): Result {
  return method === 'tools/call' && !('content' in value) ? { ...value, content: [] } : value;
}

function schemaOf(check: Check): StandardSchemaV1<unknown, Result> {
  return {
    '~standard': {
      version: 1,
      vendor: 'deskside',
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON-RPC result is an object
      validate: (value) => check(value as Result),
    },
  };
}

import {
  Client,
  type JSONRPCResponse,
  ProtocolError,
  type RequestOptions,
  type Result,
  specTypeSchemas,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client';

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

/** An error of a server, in place of the class that the SDK makes of some codes. */
class UnreadError {
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };

  constructor(error: UnreadError['error']) {
    this.error = error;
  }
}

/** No known code, so that the SDK makes a plain error of it. */
const PLAIN_CODE = -32_000;

/**
 * The SDK's client, with results and errors as the server sent them. The SDK checks results and then returns its own
 * reading of them, which has lost unknown fields and the order of the known ones.
 */
export class LosslessClient extends Client {
  async forward(
    request: { readonly method: Method; readonly params: Record<string, unknown> },
    options: RequestOptions,
  ): Promise<Result> {
    // In the modern era the SDK checks a result before it asks for a schema.
    const schema =
      this.getProtocolEra() === 'modern' ? unchecked : (checks[request.method] ??= checkOnly(request.method));
    try {
      return await this.request({ ...request }, schema, { ...options, allowInputRequired: true });
    } catch (error) {
      if (error instanceof ProtocolError && error.data instanceof UnreadError) {
        const { code, message, data } = error.data.error;
        throw new ProtocolError(code, message, data);
      }
      throw error;
    }
  }

  protected override _onresponse(response: JSONRPCResponse): void {
    if (!('error' in response)) super._onresponse(response);
    else {
      const { error } = response;
      super._onresponse({
        ...response,
        error: { code: PLAIN_CODE, message: error.message, data: new UnreadError(error) },
      });
    }
  }
}

const checks: Partial<Record<Method, StandardSchemaV1<unknown, Result>>> = {};

const unchecked = schemaOf((value) => ({ value }));

/** Accepts what the specification's schema accepts, and changes nothing. */
function checkOnly(method: Method): StandardSchemaV1<unknown, Result> {
  const schema: StandardSchemaV1 = RESULTS[method];
  return schemaOf(async (value) => {
    const { issues } = await schema['~standard'].validate(withContent(method, value));
    return issues === undefined ? { value } : { issues };
  });
}

/** Servers of the legacy era may leave out the content of a tool's result. */
function withContent(method: Method, value: unknown): unknown {
  const needsContent = method === 'tools/call' && typeof value === 'object' && value !== null;
  return needsContent && !('content' in value) ? { ...value, content: [] } : value;
}

type Validate = (value: Result) => StandardSchemaV1.Result<Result> | Promise<StandardSchemaV1.Result<Result>>;

function schemaOf(validate: Validate): StandardSchemaV1<unknown, Result> {
  return {
    '~standard': {
      version: 1,
      vendor: 'deskside',
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON-RPC result is an object
      validate: (value) => validate(value as Result),
    },
  };
}

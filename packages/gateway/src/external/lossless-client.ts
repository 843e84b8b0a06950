import {
  Client,
  type JSONRPCNotification,
  type JSONRPCResponse,
  type MessageExtraInfo,
  ProtocolError,
  type RequestOptions,
  type Result,
  specTypeSchemas,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client';
import { type ListReading, withoutInvalid } from './items.ts';

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

/** The desk has its own limits. */
export const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** No known code, so that the SDK makes a plain error of it. */
const PLAIN_CODE = -32_000;

/**
 * The SDK's client, with results and errors as the server sent them. The SDK checks results and then returns its own
 * reading of them, which has lost unknown fields and the order of the known ones. See docs/decisions/0057.
 */
export class LosslessClient extends Client {
  /** The list that is read now. */
  reading: ListReading | undefined;
  /** The result that is being decoded, as it came. */
  #received: Result | undefined;
  /** Resolves when the last progress message is handled. */
  #progress: Promise<void> | undefined;

  async forward(
    request: { readonly method: Method; readonly params: Record<string, unknown> },
    options: RequestOptions,
  ): Promise<Result> {
    // In the modern era the SDK checks a result before it asks for a schema.
    const check =
      this.getProtocolEra() === 'modern' ? accept : (checks[request.method] ??= checkOf(request.method));
    const schema = schemaOf((value) => {
      const received = this.#received ?? value;
      return check(received);
    });
    try {
      return await this.request({ ...request }, schema, {
        timeout: NO_TIMEOUT_MS,
        ...options,
        allowInputRequired: true,
      });
    } catch (error) {
      if (error instanceof ProtocolError && error.data instanceof UnreadError) {
        const { code, message, data } = error.data.error;
        throw new ProtocolError(code, message, data);
      }
      throw error;
    }
  }

  /** The SDK handles a notification later than a response that comes after it, and then knows no such call. */
  protected override _onnotification(notification: JSONRPCNotification, extra?: MessageExtraInfo): void {
    super._onnotification(notification, extra);
    if (notification.method !== 'notifications/progress') return;
    const handled = Promise.resolve();
    this.#progress = handled;
    queueMicrotask(() => {
      if (this.#progress === handled) this.#progress = undefined;
    });
  }

  protected override _onresponse(response: JSONRPCResponse): void {
    if (this.#progress === undefined) this.#respond(response);
    else void this.#progress.then(() => this.#respond(response));
  }

  #respond(response: JSONRPCResponse): void {
    if ('error' in response) {
      const { error } = response;
      const data = new UnreadError(error);
      super._onresponse({ ...response, error: { code: PLAIN_CODE, message: error.message, data } });
      return;
    }
    const result =
      this.reading === undefined ? response.result : withoutInvalid(response.result, this.reading);
    this.#received = result;
    super._onresponse({ ...response, result });
    this.#received = undefined;
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

/** The SDK asks it synchronously, while it handles the response. */
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

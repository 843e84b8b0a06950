import { type Implementation, McpServer, type Server } from '@modelcontextprotocol/server';
import { getOrAdd, isObject } from '../../base/values.ts';
import type { Principal } from '../../definition/context.ts';
import type { ServerDefinition } from '../../definition/server.ts';
import { identityName } from '../../errors/index.ts';

/** The key of a property in a tool's input schema whose value the client must repeat in a header. */
const HEADER_KEY = '"x-mcp-header"';

type Schema = Readonly<Record<string, unknown>>;

const declaring = new WeakMap<Schema, boolean>();

/**
 * The input schema of the tool that a request calls, if it declares headers.
 *
 * @param body the parsed body of a request of the modern era
 */
export async function headerSchemaOf(
  definition: ServerDefinition,
  principal: Principal,
  body: unknown,
): Promise<Schema | undefined> {
  const name = calledTool(body);
  if (name === undefined) return undefined;
  const tools = await definition.listTools({ era: 'modern', toolName: identityName, principal });
  const schema = tools.find((tool) => tool.name === name)?.inputSchema;
  if (schema === undefined) return undefined;
  const isDeclaring = getOrAdd(declaring, schema, () => JSON.stringify(schema).includes(HEADER_KEY));
  return isDeclaring ? schema : undefined;
}

/** @returns the name in a message `tools/call` */
export function calledTool(message: unknown): string | undefined {
  if (!isObject(message) || message['method'] !== 'tools/call' || !isObject(message['params']))
    return undefined;
  const { name } = message['params'];
  return typeof name === 'string' ? name : undefined;
}

/**
 * The SDK compares the headers of a call with its arguments only for an `McpServer`, which tells it the tool's schema.
 * This one tells it the schema and leaves all answers to the given server.
 *
 * Upstream: a hook for the schema on `Server` would replace this class.
 */
export class HeaderCheckedServer extends McpServer {
  override readonly server: Server;
  readonly #inputSchema: Schema;

  constructor(identity: Implementation, server: Server, inputSchema: Schema) {
    super(identity);
    this.server = server;
    this.#inputSchema = inputSchema;
  }

  override toolInputSchemaJson(): Record<string, unknown> {
    return { ...this.#inputSchema };
  }
}

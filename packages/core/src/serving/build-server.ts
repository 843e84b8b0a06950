import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type Era, ownName, type RequestContext } from '../definition/context.ts';
import type { ServerDefinition } from '../definition/server.ts';
import { visible } from '../log/visible.ts';
import { ToolError } from '../results/tool-error.ts';
import type { Connection, Shared } from './connection.ts';
import { requestContext } from './request-context.ts';
import { rewordErrors } from './reword-errors.ts';

/** A server object for one connection or request: cheap, and without I/O. */
export function buildServer(definition: ServerDefinition, connection: Connection, shared: Shared): Server {
  const { abilities } = definition;
  const instructions = definition.instructions(ownName);
  const server = new Server(definition.identity, {
    capabilities: capabilitiesOf(definition, connection.era),
    ...(instructions === undefined ? {} : { instructions }),
    requestState: { verify: (state, ctx) => shared.seal.open(state, connection.principal, ctx) },
  });
  rewordErrors(server, connection.era);
  server.onerror = (error) => shared.log.debug('protocol error', { error });

  const answer = <T>(sdk: ServerContext, subject: string, work: (ctx: RequestContext) => T | Promise<T>) =>
    answered(requestContext(server, connection, shared, sdk, subject), sdk, subject, work);

  if (abilities.tools) {
    server.setRequestHandler('tools/list', (_, sdk) =>
      answer(sdk, '', async (ctx) => ({ tools: [...(await definition.listTools(ctx))] })),
    );
    server.setRequestHandler('tools/call', ({ params }, sdk) =>
      answer(sdk, params.name, async (ctx) => {
        const result = await definition.callTool(params.name, params.arguments, ctx);
        return result ?? unknown('tool', params.name);
      }),
    );
  }
  if (abilities.prompts) {
    server.setRequestHandler('prompts/list', (_, sdk) =>
      answer(sdk, '', async (ctx) => ({ prompts: [...(await definition.listPrompts(ctx))] })),
    );
    server.setRequestHandler('prompts/get', ({ params }, sdk) =>
      answer(sdk, params.name, async (ctx) => {
        const result = await definition.getPrompt(params.name, params.arguments, ctx);
        return result ?? unknown('prompt', params.name);
      }),
    );
  }
  if (abilities.resources) {
    server.setRequestHandler('resources/list', (_, sdk) =>
      answer(sdk, '', async (ctx) => ({ resources: [...(await definition.listResources(ctx))] })),
    );
    server.setRequestHandler('resources/templates/list', (_, sdk) =>
      answer(sdk, '', async (ctx) => ({
        resourceTemplates: [...(await definition.listResourceTemplates(ctx))],
      })),
    );
    server.setRequestHandler('resources/read', ({ params }, sdk) =>
      answer(sdk, params.uri, async (ctx) => {
        const result = await definition.readResource(params.uri, ctx);
        if (result === undefined)
          throw new ResourceNotFoundError(params.uri, `Resource not found: ${visible(params.uri)}`);
        return result;
      }),
    );
  }
  if (abilities.completions) {
    server.setRequestHandler('completion/complete', ({ params }, sdk) =>
      answer(
        sdk,
        params.argument.name,
        async (ctx) =>
          (await definition.complete(params, ctx)) ?? unknown('completion', params.argument.name),
      ),
    );
  }
  return server;
}

function unknown(kind: string, name: string): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown ${kind}: ${visible(name.slice(0, 100))}`);
}

function capabilitiesOf({ abilities, changes }: ServerDefinition, era: Era): ServerCapabilities {
  const listChanged = changes === undefined ? {} : { listChanged: true };
  return {
    ...(abilities.tools ? { tools: listChanged } : {}),
    ...(abilities.prompts ? { prompts: listChanged } : {}),
    ...(abilities.resources
      ? { resources: changes === undefined ? {} : { subscribe: true, listChanged: true } }
      : {}),
    ...(abilities.completions ? { completions: {} } : {}),
    ...(abilities.logging.includes(era) ? { logging: {} } : {}),
  };
}

/** One line a request in the log, over stdio at level debug; what a handler throws never reaches the wire as it is. */
async function answered<T>(
  ctx: RequestContext,
  { mcpReq: { method } }: ServerContext,
  subject: string,
  work: (ctx: RequestContext) => T | Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const { correlationId, client } = ctx;
  // Many hosts never read a process's stderr, and a full pipe would stop it.
  const requestLevel = ctx.transport === 'http' ? 'info' : 'debug';
  const done = (outcome: string) => {
    const ms = Math.round(performance.now() - startedAt);
    ctx.log[requestLevel]('request', { method, subject, outcome, ms, correlationId, client: client?.name });
  };
  try {
    const result = await work(ctx);
    done(isErrorResult(result) ? 'error' : 'ok');
    return result;
  } catch (error) {
    done('failed');
    throw protocolError(error, ctx, method);
  }
}

function isErrorResult(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'isError' in result && result.isError === true;
}

function protocolError(
  error: unknown,
  { log, correlationId, signal }: RequestContext,
  method: string,
): unknown {
  if (error instanceof ProtocolError) return error;
  if (ToolError.is(error)) return new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
  if (!signal.aborted) log.error('request failed', { method, correlationId, error });
  return new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error', { correlationId });
}

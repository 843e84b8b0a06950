import {
  isInputRequiredResult,
  type JSONRPCNotification,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
  type ServerCapabilities,
  type ServerContext,
  type ServerOptions,
  type Tool,
} from '@modelcontextprotocol/server';
import { systemClock } from '../../base/clock.ts';
import { getOrAdd, isObject } from '../../base/values.ts';
import { isForViews, resultFor, toolsFor } from './client-differences.ts';
import type { RequestContext } from '../../definition/context.ts';
import type { ServerDefinition } from '../../definition/server.ts';
import { identityName } from '../../errors/index.ts';
import { isIgnored, type Log } from '../../log.ts';
import { escapeInvisible, truncateCodePoints } from '../../text/index.ts';
import type { Connection, Shared } from './connection.ts';
import { toProtocolError } from './errors.ts';
import { onlyPage } from './pages.ts';
import { requestCaller, requestContext } from './request-context.ts';
import { PlainErrorServer } from './sdk-server.ts';
import { watchingOf } from './watching.ts';

/**
 * How often a call of the legacy era may return `inputRequired`: more often than a person answers. A hostile server that
 * returns a state without a question is called again at most as often.
 */
const MAX_ROUNDS = 100;

/** Creates the SDK's server object for one connection or request. It does no I/O. */
export function createServer(definition: ServerDefinition, connection: Connection, shared: Shared): Server {
  const { capabilities } = definition;
  const instructions = definition.instructions(identityName, connection.principal);
  const options: ServerOptions = {
    capabilities: protocolCapabilities(definition, connection),
    cacheHints: getOrAdd(hints, definition, () => cacheHints(definition)),
    ...(instructions === undefined ? {} : { instructions }),
    requestState: { verify: async (state) => shared.seal.open(state) },
    // The SDK ends a call of the legacy era at its ninth question.
    inputRequired: { maxRounds: MAX_ROUNDS },
  };
  const server = new PlainErrorServer(definition.identity, options, connection, shared.log);
  server.onerror = (error) => shared.log.debug('protocol error', { error });

  const answer = async <T>(
    sdk: ServerContext,
    { name = '', arguments: args }: { readonly name?: string; readonly arguments?: unknown },
    work: (ctx: RequestContext) => T | Promise<T>,
  ) => {
    const caller = requestCaller(server, connection, sdk);
    const slot = await shared.calls.acquire(caller.key, sdk.mcpReq.signal);
    try {
      const about = { name, args, waitForPerson: slot.pause, level: server.level };
      const ctx = requestContext(server, connection, shared, sdk, caller, about);
      const result = await answerRequest(ctx, sdk, name, work);
      if (!isInputRequiredResult(result)) {
        const { signal, correlationId } = ctx;
        const subject = truncateCodePoints(name, MAX_QUOTED_CODE_POINTS);
        server.answered(signal, { subject, correlationId, result });
      }
      return result;
    } finally {
      slot.release();
    }
  };

  if (capabilities.tools) {
    server.setRequestHandler('tools/list', ({ params }, sdk) =>
      answer(sdk, {}, async (ctx) => {
        const { client, known } = ctx.caller;
        const all = await definition.listTools(ctx);
        // A stateless client of the legacy era has not introduced itself.
        const isKnown = ctx.era === 'modern' || client !== undefined;
        const declared = () => (isKnown ? ctx.input.capabilities : undefined);
        const items = onlyPage(toolsFor(all, known, declared), params?.cursor);
        return { tools: items, ...(isPrivate(ctx, all) ? { cacheScope: 'private' as const } : {}) };
      }),
    );
    server.setRequestHandler('tools/call', ({ params }, sdk) =>
      answer(sdk, params, async (ctx) => {
        const result = await definition.callTool(params.name, params.arguments, ctx);
        return resultFor(result ?? throwUnknown('tool', params.name), ctx.caller);
      }),
    );
  }
  if (capabilities.prompts) {
    server.setRequestHandler('prompts/list', ({ params }, sdk) =>
      answer(sdk, {}, async (ctx) => ({
        prompts: onlyPage(await definition.listPrompts(ctx), params?.cursor),
      })),
    );
    server.setRequestHandler('prompts/get', ({ params }, sdk) =>
      answer(sdk, params, async (ctx) => {
        const result = await definition.getPrompt(params.name, params.arguments, ctx);
        return result ?? throwUnknown('prompt', params.name);
      }),
    );
  }
  if (capabilities.resources) {
    server.setRequestHandler('resources/list', ({ params }, sdk) =>
      answer(sdk, {}, async (ctx) => ({
        resources: onlyPage(await definition.listResources(ctx), params?.cursor),
      })),
    );
    server.setRequestHandler('resources/templates/list', ({ params }, sdk) =>
      answer(sdk, {}, async (ctx) => ({
        resourceTemplates: onlyPage(await definition.listResourceTemplates(ctx), params?.cursor),
      })),
    );
    server.setRequestHandler('resources/read', ({ params }, sdk) =>
      answer(sdk, { name: params.uri }, async (ctx) => {
        const result = await definition.readResource(params.uri, ctx);
        if (result === undefined)
          throw new ResourceNotFoundError(params.uri, `Resource not found: ${escapeInvisible(params.uri)}`);
        return result;
      }),
    );
  }
  if (capabilities.completions) {
    server.setRequestHandler('completion/complete', ({ params }, sdk) =>
      answer(sdk, params.argument, async (ctx) => {
        const result = await definition.complete(params, ctx);
        return result ?? throwUnknown('completion', params.argument.name);
      }),
    );
  }
  return server;
}

/** What one client gets must not be shared with another. */
function isPrivate({ era }: RequestContext, tools: readonly Tool[]): boolean {
  return era === 'modern' && tools.some(isForViews);
}

/** Limit for a text of the client in an error or in a log line. */
const MAX_QUOTED_CODE_POINTS = 100;

function throwUnknown(kind: string, name: string): never {
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown ${kind}: ${escapeInvisible(truncateCodePoints(name, MAX_QUOTED_CODE_POINTS))}`,
  );
}

/** A legacy connection offers changes only if it lasts: `forwardChanges` sends them. */
function protocolCapabilities(
  { capabilities, changes }: ServerDefinition,
  { era, session }: Connection,
): ServerCapabilities {
  const hasChanges = changes !== undefined && (era === 'modern' || session !== undefined);
  const listChanged = hasChanges ? { listChanged: true } : {};
  return {
    ...(capabilities.tools ? { tools: listChanged } : {}),
    ...(capabilities.prompts ? { prompts: listChanged } : {}),
    ...(capabilities.resources ? { resources: hasChanges ? { subscribe: true, ...listChanged } : {} } : {}),
    ...(capabilities.completions ? { completions: {} } : {}),
    ...(capabilities.logging.includes(era) ? { logging: {} } : {}),
  };
}

const LIST_TTL_MS = 60_000;
const hints = new WeakMap<ServerDefinition, NonNullable<ServerOptions['cacheHints']>>();

function cacheHints({ caching = {} }: ServerDefinition): NonNullable<ServerOptions['cacheHints']> {
  const list = { ttlMs: LIST_TTL_MS };
  return {
    'server/discover': list,
    'tools/list': { ...list, ...caching.tools },
    'prompts/list': { ...list, ...caching.prompts },
    'resources/list': { ...list, ...caching.resources },
    'resources/templates/list': { ...list, ...caching.templates },
    'resources/read': { ttlMs: 0, ...caching.reads },
  };
}

/** Runs a handler and writes one log line per request. Hides unexpected errors from the client. */
async function answerRequest<T>(
  ctx: RequestContext,
  { mcpReq: { method } }: ServerContext,
  subject: string,
  work: (ctx: RequestContext) => T | Promise<T>,
): Promise<T> {
  const startedAt = systemClock.elapsedMs();
  const { correlationId, caller, signal } = ctx;
  // Many hosts never read the stderr of a stdio server, and a full pipe would block it.
  const requestLevel = ctx.transport === 'http' ? 'info' : 'debug';
  const logRequest = (outcome: string) => {
    if (isIgnored(ctx.log, requestLevel)) return;
    const ms = Math.round(systemClock.elapsedMs() - startedAt);
    ctx.log[requestLevel]('request', {
      method,
      subject: truncateCodePoints(subject, MAX_QUOTED_CODE_POINTS),
      outcome: signal.aborted ? 'cancelled' : outcome,
      ms,
      correlationId,
      user: caller.principal.user,
      client: caller.label(),
      session: caller.session,
    });
  };
  try {
    const result = await work(ctx);
    if (!method.endsWith('/list')) requireJson(result);
    logRequest(outcomeOf(result));
    return result;
  } catch (error) {
    logRequest('failed');
    throw toProtocolError(error, ctx, method, subject);
  }
}

/**
 * The SDK sends no answer at all if it cannot write the result as JSON. Core has already written `structuredContent`,
 * and texts need no check.
 *
 * @throws TypeError
 */
function requireJson(result: unknown): void {
  JSON.stringify(result, (key, value: unknown) =>
    typeof value === 'string' || key === 'structuredContent' ? undefined : value,
  );
}

function outcomeOf(result: unknown): 'ok' | 'error' | 'input_required' {
  if (isInputRequiredResult(result)) return 'input_required';
  return isObject(result) && result['isError'] === true ? 'error' : 'ok';
}

/**
 * Sends a server's changes to one lasting connection: stdio in both eras, or a legacy session over HTTP. In the modern
 * era over HTTP the SDK sends them itself. A legacy client subscribes to single resources; for modern clients the SDK
 * filters. It ends when the server object closes.
 */
export function forwardChanges(
  server: Server,
  definition: ServerDefinition,
  { era, principal }: Connection,
  log: Log,
): void {
  const { changes } = definition;
  if (changes === undefined) return;
  const subscribed = new Set<string>();
  const watching = watchingOf(definition, { era, toolName: identityName, principal });
  if (era === 'legacy') {
    server.setRequestHandler('resources/subscribe', ({ params }) => {
      subscribed.add(params.uri);
      watching.start(params.uri, [params.uri]);
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', ({ params }) => {
      subscribed.delete(params.uri);
      watching.stop(params.uri);
      return {};
    });
  }
  const unsubscribe = changes.subscribe((change) => {
    if (change.kind === 'resource_updated' && era === 'legacy' && !subscribed.has(change.uri)) return;
    if (definition.tells?.(change, principal) === false) return;
    const sending =
      change.kind === 'resource_updated'
        ? server.sendResourceUpdated({ uri: change.uri })
        : // For example `tools_list_changed` is the notification `tools/list_changed`.
          server.notification({ method: `notifications/${change.kind.replace('_', '/')}` });
    sending.catch((error: unknown) => log.debug('change not sent', { error }));
  });
  server.onclose = () => {
    unsubscribe();
    watching.close();
  };
}

/** A notification per list, for a client that may have missed changes. */
export function listChanges({ capabilities, changes }: ServerDefinition): JSONRPCNotification[] {
  if (changes === undefined) return [];
  const lists = (['tools', 'prompts', 'resources'] as const).filter((list) => capabilities[list]);
  return lists.map((list) => ({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` }));
}

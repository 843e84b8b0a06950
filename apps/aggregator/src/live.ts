import { changeFeed, type ServerDefinition } from '@deskside/core';
import type { Aggregator } from './aggregator.ts';

/** An aggregator whose mounts and profiles change while clients are connected. */
export interface LiveAggregator {
  readonly aggregator: Aggregator;
  /** From now on every client uses this one, and is told that its lists have changed. */
  use(next: Aggregator): void;
}

/** A server that another one can replace. */
interface LiveServer {
  readonly definition: ServerDefinition;
  use(next: ServerDefinition): void;
}

export function liveAggregator(first: Aggregator): LiveAggregator {
  let current = first;
  const servers = new Map<string, LiveServer>();
  const routes = new Map<string, ServerDefinition>();

  function serve(): void {
    for (const path of servers.keys()) {
      if (current.routes.has(path)) continue;
      servers.delete(path);
      routes.delete(path);
    }
    for (const [path, definition] of current.routes) {
      const known = servers.get(path);
      if (known === undefined) {
        const added = liveServer(definition);
        servers.set(path, added);
        routes.set(path, added.definition);
      } else known.use(definition);
    }
  }

  const all = liveServer(first.definition);
  servers.set('/mcp', all);
  routes.set('/mcp', all.definition);
  serve();
  return {
    aggregator: {
      get mounts() {
        return current.mounts;
      },
      definition: all.definition,
      routes,
      mountStates: () => current.mountStates(),
      httpClients: () => current.httpClients(),
      [Symbol.dispose]: () => current[Symbol.dispose](),
    },
    use(next) {
      const before = current;
      current = next;
      serve();
      before[Symbol.dispose]();
    },
  };
}

function liveServer(first: ServerDefinition): LiveServer {
  const changes = changeFeed();
  let current = first;
  let stop = follow(first);

  function follow({ changes: own }: ServerDefinition): (() => void) | undefined {
    return own?.subscribe((change) => changes.publish(change));
  }

  return {
    definition: {
      changes,
      get identity() {
        return current.identity;
      },
      get capabilities() {
        return current.capabilities;
      },
      get caching() {
        return current.caching ?? {};
      },
      instructions: (toolName, principal) => current.instructions(toolName, principal),
      isFor: (principal) => current.isFor?.(principal) ?? true,
      tells: (change, principal) => current.tells?.(change, principal) ?? true,
      listTools: (view) => current.listTools(view),
      listPrompts: (view) => current.listPrompts(view),
      listResources: (ctx, cursor) => current.listResources(ctx, cursor),
      listResourceTemplates: (view) => current.listResourceTemplates(view),
      resourceUris: (view) => current.resourceUris?.(view) ?? [],
      watchResource: (uri, view) => current.watchResource?.(uri, view) ?? (() => undefined),
      callTool: (name, args, ctx) => current.callTool(name, args, ctx),
      getPrompt: (name, args, ctx) => current.getPrompt(name, args, ctx),
      readResource: (uri, ctx) => current.readResource(uri, ctx),
      complete: (params, ctx) => current.complete(params, ctx),
    },
    use(next) {
      if (next === current) return;
      stop?.();
      current = next;
      stop = follow(next);
      for (const list of ['tools', 'prompts', 'resources'] as const) changes.changed(list);
    },
  };
}

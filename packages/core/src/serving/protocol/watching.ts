import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChangeFeed } from '../../definition/changes.ts';
import type { View } from '../../definition/context.ts';
import type { ServerDefinition } from '../../definition/server.ts';

/** The resources that the clients of one connection subscribe to, for a server that must know them. */
export function watchingOf(definition: ServerDefinition, view: View) {
  const releases = new Map<string | number, readonly (() => void)[]>();
  const stop = (key: string | number) => {
    for (const release of releases.get(key) ?? []) release();
    releases.delete(key);
  };
  return {
    /** @param key names the subscription, for `stop` */
    start(key: string | number, uris: readonly string[]): void {
      stop(key);
      releases.set(key, watch(definition, uris, view));
    },
    stop,
    close(): void {
      for (const key of releases.keys()) stop(key);
    },
  };
}

function watch(definition: ServerDefinition, uris: readonly string[], view: View): readonly (() => void)[] {
  return [...new Set(uris)].flatMap((uri) => definition.watchResource?.(uri, view) ?? []);
}

/** The request that opens a stream. */
interface Opening {
  readonly uris: readonly string[];
  readonly view: View;
}

/**
 * The subscriptions of the modern era over HTTP: each is a stream, which the SDK opens and closes. It subscribes to the bus when a
 * stream opens. `open` runs the request that opens one.
 */
export function streamWatching(definition: ServerDefinition): {
  readonly bus: ChangeFeed | undefined;
  open<T>(body: unknown, view: View, request: () => T): T;
} {
  const { changes } = definition;
  if (changes === undefined || (definition.watchResource ?? definition.tells) === undefined) {
    return { bus: changes, open: (_body, _view, request) => request() };
  }
  const opening = new AsyncLocalStorage<Opening>();
  return {
    bus: {
      publish: (change) => changes.publish(change),
      subscribe(listener) {
        const { uris, view } = opening.getStore() ?? {};
        const releases = view === undefined ? [] : watch(definition, uris ?? [], view);
        const unsubscribe = changes.subscribe((change) => {
          if (view === undefined || definition.tells?.(change, view.principal) !== false) listener(change);
        });
        return () => {
          unsubscribe();
          for (const release of releases) release();
        };
      },
    },
    open: (body, view, request) => opening.run({ uris: subscribedUris(body), view }, request),
  };
}

/** The URIs that a `subscriptions/listen` names. */
export function subscribedUris(message: unknown): readonly string[] {
  const { params } = Object(message);
  const uris: unknown = Object(Object(params)['notifications'])['resourceSubscriptions'];
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { isObject } from '../../base/values.ts';
import type { ChangeFeed } from '../../definition/changes.ts';
import type { View } from '../../definition/context.ts';
import type { ServerDefinition } from '../../definition/server.ts';

/** The resources that the clients of one connection subscribe to, for a server that must know them. */
export class Watching {
  readonly #definition: ServerDefinition;
  readonly #view: View;
  readonly #releases = new Map<string | number, readonly (() => void)[]>();

  constructor(definition: ServerDefinition, view: View) {
    this.#definition = definition;
    this.#view = view;
  }

  /** @param key names the subscription, for `stop` */
  start(key: string | number, uris: readonly string[]): void {
    this.stop(key);
    this.#releases.set(key, watch(this.#definition, uris, this.#view));
  }

  stop(key: string | number): void {
    for (const release of this.#releases.get(key) ?? []) release();
    this.#releases.delete(key);
  }

  close(): void {
    for (const key of this.#releases.keys()) this.stop(key);
  }
}

function watch(definition: ServerDefinition, uris: readonly string[], view: View): readonly (() => void)[] {
  return [...new Set(uris)].flatMap((uri) => definition.watchResource?.(uri, view) ?? []);
}

/** The request that opens a stream. */
interface Opening {
  readonly uris: readonly string[];
  readonly view: View;
}

/** The subscriptions of the modern era over HTTP: each is a stream, which the SDK opens and closes. */
export interface StreamWatching {
  /** For the SDK: a stream subscribes to it when it opens, and unsubscribes when it closes. */
  readonly bus: ChangeFeed | undefined;
  /** Runs the request that opens a stream. */
  open<T>(body: unknown, view: View, request: () => T): T;
}

export function streamWatching(definition: ServerDefinition): StreamWatching {
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
  const uris = member(member(member(message, 'params'), 'notifications'), 'resourceSubscriptions');
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
}

function member(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

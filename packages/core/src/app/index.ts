/**
 * The view side of MCP Apps, without the DOM's types and without the SDK: a view is one small file.
 */

/** Version of the MCP Apps protocol. */
const PROTOCOL_VERSION = '2026-01-26';
const METHOD_NOT_FOUND = -32_601;

export type Params = Readonly<Record<string, unknown>>;

/** What a view needs of its window. */
export interface AppFrame {
  addEventListener(
    type: 'message',
    listener: (event: { readonly source: unknown; readonly data: unknown }) => void,
  ): void;
  readonly parent: { postMessage(message: unknown, targetOrigin: string): void };
}

/** How a view names itself to its host. */
export interface AppInfo {
  readonly name: string;
  readonly version: string;
}

/** The connection of a view to its host. */
export interface AppConnection {
  /** The host's capabilities and context, once the connection is established. */
  readonly ready: Promise<Params>;
  /** Rejects with the host's error as cause. */
  request(method: string, params: Params): Promise<Params>;
  notify(method: string, params: Params): void;
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/**
 * Connects a view to its host, the parent window, with JSON-RPC. Messages of other windows are ignored.
 *
 * @param onMessage gets the host's notifications and requests
 */
export function connectApp(
  frame: AppFrame,
  appInfo: AppInfo,
  onMessage: (method: string, params: Params) => void,
): AppConnection {
  /** By request id. Answered requests stay, so the size is the next id. */
  const pending = new Map<unknown, (answer: Message) => void>();

  function send(message: Message): void {
    // A sandboxed frame does not know the host's origin.
    frame.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  }

  function request(method: string, params: Params): Promise<Params> {
    return new Promise((resolve, reject) => {
      const id = pending.size;
      pending.set(id, ({ result, error }) => {
        if (error === undefined) resolve(fields(result));
        else reject(new Error(method, { cause: error }));
      });
      send({ id, method, params });
    });
  }

  const notify = (method: string, params: Params) => send({ method, params });

  frame.addEventListener('message', ({ source, data }) => {
    if (source !== frame.parent) return;
    const { id, method, params, ...answer } = fields(data);
    if (typeof method !== 'string') return pending.get(id)?.(answer);
    onMessage(method, fields(params));
    if (id === undefined) return;
    const isKnown = method === 'ping' || method === 'ui/resource-teardown';
    send({ id, ...(isKnown ? { result: {} } : { error: { code: METHOD_NOT_FOUND, message: method } }) });
  });
  const ready = request('ui/initialize', {
    protocolVersion: PROTOCOL_VERSION,
    appInfo,
    appCapabilities: { availableDisplayModes: ['inline'] },
  }).then((result) => {
    notify('ui/notifications/initialized', {});
    return result;
  });
  return { ready, request, notify };
}

/** The fields of an object; none for every other value. */
export function fields(value: unknown): Params {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

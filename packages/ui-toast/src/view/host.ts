/** Version of the MCP Apps protocol. */
const PROTOCOL_VERSION = '2026-01-26';
const METHOD_NOT_FOUND = -32_601;

export type Params = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** By request id. Answered requests stay, so the size is the next id. */
const pending = new Map<unknown, (answer: Message) => void>();

/**
 * Connects to the host of the view, the parent window, with JSON-RPC. Messages of other windows are ignored.
 *
 * @param onMessage gets the host's notifications and requests
 * @returns the host's capabilities and context
 */
export async function connect(onMessage: (method: string, params: Params) => void): Promise<Params> {
  addEventListener('message', ({ source, data }) => {
    if (source !== parent) return;
    const { id, method, params, ...answer } = fields(data);
    if (typeof method !== 'string') return pending.get(id)?.(answer);
    onMessage(method, fields(params));
    if (id === undefined) return;
    const isKnown = method === 'ping' || method === 'ui/resource-teardown';
    send({ id, ...(isKnown ? { result: {} } : { error: { code: METHOD_NOT_FOUND, message: method } }) });
  });
  const result = await request('ui/initialize', {
    protocolVersion: PROTOCOL_VERSION,
    appInfo: { name: 'deskside-toast', version: '1.0.0' },
    appCapabilities: { availableDisplayModes: ['inline'] },
  });
  notify('ui/notifications/initialized', {});
  return result;
}

/** @throws the host's error */
export async function request(method: string, params: Params): Promise<Params> {
  return new Promise((resolve, reject) => {
    const id = pending.size;
    pending.set(id, ({ result, error }) => {
      if (error === undefined) resolve(fields(result));
      else reject(new Error(method, { cause: error }));
    });
    send({ id, method, params });
  });
}

export function notify(method: string, params: Params): void {
  send({ method, params });
}

export function fields(value: unknown): Params {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function send(message: Message): void {
  // A sandboxed frame does not know the host's origin.
  parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
}

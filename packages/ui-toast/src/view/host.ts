/** The version of the MCP Apps protocol that is spoken. */
const PROTOCOL_VERSION = '2026-01-26';

export type Params = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Hears what the host says, its request to go (`ui/resource-teardown`) too. */
export type Listener = (method: string, params: Params) => void;

/** Requests of the host that are answered; there is nothing to say. */
const KNOWN: ReadonlySet<string> = new Set(['ping', 'ui/resource-teardown']);

/** The frame's end of MCP Apps: JSON-RPC with the window around it, and with nobody else. */
export class Host {
  readonly #waiting = new Map<unknown, (answer: Message) => void>();
  readonly #listener: Listener;
  #lastId = 0;

  constructor(listener: Listener) {
    this.#listener = listener;
    addEventListener('message', ({ source, data }) => {
      if (source === parent && typeof data === 'object' && data !== null) this.#receive(data);
    });
  }

  /** @returns the host's capabilities and context */
  async connect(): Promise<Params> {
    const opened = await this.request('ui/initialize', {
      protocolVersion: PROTOCOL_VERSION,
      appInfo: { name: 'deskside-toast', version: '1.0.0' },
      appCapabilities: { availableDisplayModes: ['inline'] },
    });
    this.notify('ui/notifications/initialized', {});
    return opened;
  }

  /** @throws the host's error */
  async request(method: string, params: Params): Promise<Params> {
    const id = (this.#lastId += 1);
    const { result, error } = await new Promise<Message>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ id, method, params });
    });
    if (error !== undefined) throw new Error('refused by the host', { cause: error });
    return fields(result);
  }

  notify(method: string, params: Params): void {
    this.#send({ method, params });
  }

  #receive({ id, method, params, ...answer }: Message): void {
    if (typeof method !== 'string') {
      this.#waiting.get(id)?.(answer);
      this.#waiting.delete(id);
      return;
    }
    this.#listener(method, fields(params));
    if (id === undefined) return;
    const error = { code: -32_601, message: method };
    this.#send(KNOWN.has(method) ? { id, result: {} } : { id, error });
  }

  #send(message: Params): void {
    // A sandboxed frame does not know its host's origin.
    parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  }
}

export function fields(value: unknown): Params {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

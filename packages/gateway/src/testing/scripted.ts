import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { Era } from '@deskside/core';
import { ServerTransport } from '../external/server-transport.ts';
import type { OpenTransport } from '../external/transport.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A message to a server. */
export interface Incoming {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
}

/** One start of a server in this process, as a program would look through its pipes. */
export class ScriptedStart extends ServerTransport {
  isClosed = false;
  readonly received: Incoming[] = [];
  /** The same, as texts. */
  readonly lines: string[] = [];
  readonly #handle: (message: Incoming, start: ScriptedStart) => void;

  constructor(handle: (message: Incoming, start: ScriptedStart) => void) {
    super();
    this.#handle = handle;
  }

  async start(): Promise<void> {}

  protected async write(message: unknown): Promise<void> {
    if (this.isClosed) throw new SdkError(SdkErrorCode.NotConnected, 'The server has ended.');
    const line = JSON.stringify(message);
    this.lines.push(line);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON-RPC message
    const received = JSON.parse(line) as Incoming;
    this.received.push(received);
    queueMicrotask(() => this.isClosed || this.#handle(received, this));
  }

  async close(): Promise<void> {
    this.end();
  }

  /** The program ends; without an exit only the connection does. */
  end(exit?: string): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.exit = exit;
    this.ended();
  }

  say(message: Json): void {
    this.print(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  /** Lines on stdout. */
  print(text: string): void {
    if (this.isClosed) return;
    for (const line of text.split('\n').filter(Boolean)) {
      try {
        this.receive(this.parsed(line));
      } catch {
        this.report(`not a message: ${line}`);
      }
    }
  }
}

/** What a server does with a request: its result, or undefined if it does something else. */
export type Play = (request: Incoming, start: ScriptedStart) => Json | undefined;

export const hang: Play = () => undefined;

/** The server ends; without an exit only its connection does. */
export const end =
  (exit?: string): Play =>
  (_, start) => {
    start.end(exit);
    return undefined;
  };

export const refuse =
  (code: number): Play =>
  ({ id }, start) => {
    start.say({ id, error: { code, message: 'refused' } });
    return undefined;
  };

export const malformed: Play = () => ({ tools: 'many', content: 'no list' });

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

/** A server in this process that answers as its era demands, except where it has a play. */
export class ScriptedServer {
  readonly era: Era;
  readonly starts: ScriptedStart[] = [];
  capabilities: Json = { tools: { listChanged: true }, resources: { subscribe: true } };
  tools: readonly string[] = ['echo'];
  /** By method. */
  plays: Readonly<Record<string, Play>>;

  constructor(era: Era, plays: Readonly<Record<string, Play>> = {}) {
    this.era = era;
    this.plays = plays;
  }

  readonly openTransport: OpenTransport = () => {
    const start = new ScriptedStart((message, own) => this.#handle(message, own));
    this.starts.push(start);
    return start;
  };

  /** The start that runs now. @throws Error before the first one */
  get running(): ScriptedStart {
    const start = this.starts.at(-1);
    if (start === undefined) throw new Error('not started');
    return start;
  }

  /** The parameters of all requests and notifications of this method, of all starts. */
  asked(method: string): readonly Json[] {
    return this.starts
      .flatMap(({ received }) => received)
      .filter((message) => message.method === method)
      .map(({ params = {} }) => params);
  }

  #handle(message: Incoming, start: ScriptedStart): void {
    const { id, method = '' } = message;
    const play = this.plays[method];
    if (id === undefined) return;
    const result = play === undefined ? this.answer(message, start) : play(message, start);
    if (result === undefined) return;
    const types = this.era === 'modern' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
    start.say({ id, result: { ...types, ...result } });
  }

  /** The ordinary answer. */
  answer(request: Incoming, start: ScriptedStart): Json | undefined {
    const { capabilities, era } = this;
    const { id, method, params } = request;
    const serverInfo = { name: 'scripted', version: '1' };
    switch (method) {
      case 'server/discover':
        if (era === 'legacy') return refuse(-32_601)(request, start);
        return { supportedVersions: ['2026-07-28'], capabilities, serverInfo };
      case 'initialize':
        if (era === 'modern') return refuse(-32_601)(request, start);
        return { protocolVersion: '2025-11-25', capabilities, serverInfo };
      case 'tools/list':
        return { tools: this.tools.map((name) => ({ name, inputSchema: { type: 'object' } })) };
      case 'resources/list':
        return { resources: [] };
      case 'resources/templates/list':
        return { resourceTemplates: [] };
      case 'tools/call':
        return { content: [{ type: 'text', text: JSON.stringify(params?.['name']) }] };
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        return {};
      case 'subscriptions/listen':
        start.say({
          method: 'notifications/subscriptions/acknowledged',
          params: { _meta: { [SUBSCRIPTION_ID]: id }, notifications: params?.['notifications'] },
        });
        return undefined;
      default:
        return refuse(-32_601)(request, start);
    }
  }
}

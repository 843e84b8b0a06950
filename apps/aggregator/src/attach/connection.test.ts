import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ClientConnection } from './connection.ts';
import { readMessage, rpcLine } from './message.ts';

const RUNS = process.env['DESKSIDE_PROOF'] === '1' ? 20_000 : 500;

/** What a connection asks of its surroundings: a line for the client or the desk, or a desk. */
type Effect = readonly ['toClient' | 'toDesk' | 'connect', string];

/** A connection, and what it has asked since the last look. */
function record() {
  const effects: Effect[] = [];
  const connection = new ClientConnection({
    toClient: (line) => void effects.push(['toClient', line]),
    toDesk: (line) => void effects.push(['toDesk', line]),
    connect: () => void effects.push(['connect', '']),
  });
  return { connection, effects: () => effects.splice(0) };
}

/** What a failed request says of its call. */
const HINTS = {
  lost: 'Check whether the call took effect before you repeat it.',
  failed: 'The call was not carried out.',
};

/** How often each step occurs, besides the others. */
const WEIGHTS = {
  // Requests of the client.
  'tools/call': 6,
  'tools/list': 2,
  'logging/setLevel': 1,
  'resources/subscribe': 1,
  'resources/unsubscribe': 1,
  cancel: 1,
  // The client says something that needs no desk.
  notify: 1,
  // The desk reads its next line.
  work: 8,
  // The desk answers the oldest request that it read.
  answer: 6,
  ask: 2,
  // The desk no longer needs the answer to the oldest question.
  withdraw: 1,
  // The client answers the oldest question that it got.
  reply: 2,
  crash: 3,
  attach: 4,
  fail: 1,
};
type Step = keyof typeof WEIGHTS;
const STEPS = Object.keys(WEIGHTS) as Step[];
const steps = fc.oneof(...STEPS.map((step) => ({ weight: WEIGHTS[step], arbitrary: fc.constant(step) })));

/** A request of the client. */
interface Request {
  readonly method: string;
  /** How often it was answered. */
  answers: number;
  /** How many desks have ended while it was open. */
  lost: number;
  isCancelled: boolean;
}

/** A legacy client, a row of desks, and the lines between them. */
class World {
  readonly requests = new Map<number, Request>();
  /** How often a desk worked on each tool call. */
  readonly worked = new Map<number, number>();
  readonly faults: string[] = [];
  isConnecting = true;
  readonly #recorded = record();
  #nextId = 1;
  /** Lines on their way to the desk. */
  #toDesk: string[] = [];
  /** Requests that the desk read and did not answer. */
  #open: (string | number)[] = [];
  #deskNumber = 0;
  #questionNumber = 0;
  /** The order of the legacy era at the present desk. */
  #stage: 'new' | 'greeted' | 'ready' = 'new';
  /** Open at the client. */
  #questions: (string | number)[] = [];
  /** What the client has set last, and what the present desk knows of it: the log level, and the subscriptions. */
  #set = new Map<string, unknown>();
  #known = new Map<string, unknown>();
  #listChanges = 0;
  #initializeId = 0;
  #handshake: 'open' | 'failed' | 'done' = 'failed';

  get connection(): ClientConnection {
    return this.#recorded.connection;
  }

  run(step: Step): void {
    switch (step) {
      case 'tools/call':
      case 'tools/list':
      case 'logging/setLevel':
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        // A client waits for the answer to `initialize`, and begins again after an error.
        if (this.#handshake === 'done') this.#send(step);
        if (this.#handshake === 'failed') {
          this.#handshake = 'open';
          this.#initializeId = this.#nextId;
          this.#request('initialize', { protocolVersion: 'proposed' });
        }
        break;
      case 'cancel':
        this.#cancel();
        break;
      case 'notify': {
        const before = this.isConnecting;
        this.#fromClient(rpcLine({ method: 'notifications/roots/list_changed' }));
        if (this.isConnecting !== before) this.faults.push('a desk is looked for without a request');
        break;
      }
      case 'work':
        this.#work();
        break;
      case 'answer': {
        const id = this.#open.shift();
        const result = {
          protocolVersion: 'agreed',
          capabilities: { tools: { listChanged: true }, prompts: {} },
        };
        if (id !== undefined) this.#fromDesk(rpcLine({ id, result }));
        break;
      }
      case 'ask':
        if (this.#stage !== 'ready') break;
        this.#fromDesk(
          rpcLine({ id: `${this.#deskNumber}/${this.#questionNumber++}`, method: 'elicitation/create' }),
        );
        break;
      case 'withdraw': {
        const [requestId] = this.#questions;
        if (requestId === undefined) break;
        this.#fromDesk(rpcLine({ method: 'notifications/cancelled', params: { requestId } }));
        break;
      }
      case 'reply': {
        const question = this.#questions.shift();
        if (question !== undefined) this.#fromClient(rpcLine({ id: question, result: { for: question } }));
        break;
      }
      case 'crash':
        if (this.connection.phase === 'attached') this.#crash();
        break;
      case 'attach':
        if (this.isConnecting) this.#attach();
        break;
      case 'fail':
        if (!this.isConnecting) break;
        this.isConnecting = false;
        this.connection.failed();
        this.#apply('failed');
    }
  }

  /** The handshake of the legacy era, without a fault. */
  greet(): void {
    for (const step of ['attach', 'tools/list', 'work', 'answer', 'work'] as const) this.run(step);
  }

  /** From now on every desk works, until nothing is left to do. */
  settle(): void {
    for (let round = 0; round < 10_000; round += 1) {
      if (this.isConnecting) this.run('attach');
      else if (this.#toDesk.length > 0) this.run('work');
      else if (this.#open.length > 0) this.run('answer');
      else break;
      if (round === 9999) this.faults.push('never settles');
    }
    if (this.#handshake !== 'done' || this.connection.phase !== 'attached') return;
    if (this.#stage !== 'ready' || !isDeepStrictEqual(this.#known, this.#set))
      this.faults.push('the desk does not know what the client has set');
  }

  #send(method: string): void {
    const uri = `a://${this.#nextId % 2}`;
    if (method === 'tools/call' || method === 'tools/list') this.#request(method);
    else if (method === 'logging/setLevel') {
      this.#set.set(method, `level ${this.#nextId}`);
      this.#request(method, { level: this.#set.get(method) });
    } else {
      if (method === 'resources/subscribe') this.#set.set(uri, true);
      else this.#set.delete(uri);
      this.#request(method, { uri });
    }
  }

  #request(method: string, params: object = {}): void {
    const id = this.#nextId++;
    this.requests.set(id, { method, answers: 0, lost: 0, isCancelled: false });
    this.#fromClient(rpcLine({ id, method, params }));
  }

  #cancel(): void {
    for (const [id, request] of this.requests) {
      if (request.method === 'initialize' || request.answers > 0 || request.isCancelled) continue;
      request.isCancelled = true;
      // No desk works on it anymore.
      if (this.connection.phase !== 'attached') request.answers = 1;
      this.#fromClient(rpcLine({ method: 'notifications/cancelled', params: { requestId: id } }));
      return;
    }
  }

  /** The desk is gone, with everything on its way. */
  #crash(): void {
    for (const request of this.requests.values()) if (request.answers === 0) request.lost += 1;
    [this.#toDesk, this.#open, this.#stage, this.#known] = [[], [], 'new', new Map()];
    this.connection.lost();
    this.#apply('lost');
    if (this.#questions.length > 0) this.faults.push('a question of a desk that has ended is open');
    for (const [id, { answers, lost, isCancelled }] of this.requests)
      if (answers === 0 && lost > 1 && !isCancelled) this.faults.push(`sent to a third desk: ${id}`);
  }

  #attach(): void {
    this.isConnecting = false;
    this.#deskNumber += 1;
    const before = this.#listChanges;
    this.connection.attached();
    this.#apply();
    if (this.#listChanges - before !== (this.#handshake === 'done' ? 1 : 0))
      this.faults.push('the client does not learn once that the tools may have changed');
  }

  #fromClient(line: string): void {
    this.connection.fromClient(line);
    this.#apply();
  }

  #fromDesk(line: string): void {
    this.connection.fromDesk(line);
    this.#apply();
  }

  #work(): void {
    const line = this.#toDesk.shift();
    if (line === undefined) return;
    const message = readMessage(line);
    if (message.kind === 'notification' && message.method === 'notifications/initialized')
      this.#stage = 'ready';
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
      this.#open = this.#open.filter((id) => id !== message.params['requestId']);
    }
    // A desk ignores the answers to the questions of earlier desks.
    if (message.kind === 'response' && line !== rpcLine({ id: message.id, result: { for: message.id } }))
      this.faults.push(`desk ${this.#deskNumber} got an answer for another question: ${line}`);
    if (message.kind !== 'request') return;
    const { id, method, params } = message;
    if (method === 'initialize') {
      if (this.#stage !== 'new') this.faults.push('a desk got a second initialize');
      if (params['protocolVersion'] !== (this.#handshake === 'done' ? 'agreed' : 'proposed'))
        this.faults.push(`a desk got another version: ${line}`);
      this.#stage = 'greeted';
    } else if (this.#stage === 'new') this.faults.push(`a desk got ${line} before initialize`);
    if (method === 'tools/call') this.worked.set(Number(id), (this.worked.get(Number(id)) ?? 0) + 1);
    if (method === 'logging/setLevel') this.#known.set(method, params['level']);
    if (method === 'resources/subscribe') this.#known.set(String(params['uri']), true);
    if (method === 'resources/unsubscribe') this.#known.delete(String(params['uri']));
    this.#open.push(id);
  }

  /** @param cause why requests may fail now */
  #apply(cause?: keyof typeof HINTS): void {
    for (const [kind, line] of this.#recorded.effects()) {
      if (kind === 'toDesk') this.#toDesk.push(line);
      else if (kind === 'toClient') this.#receive(line, cause);
      else this.isConnecting = true;
    }
  }

  #receive(line: string, cause: keyof typeof HINTS | undefined): void {
    const message = readMessage(line);
    if (message.kind === 'request') this.#questions.push(message.id);
    if (message.kind === 'notification' && message.method.endsWith('list_changed')) this.#listChanges += 1;
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
      const at = this.#questions.findIndex((id) => id === message.params['requestId']);
      if (at === -1) this.faults.push(`no such question is open: ${line}`);
      else this.#questions.splice(at, 1);
    }
    if (message.kind !== 'response') return;
    const request = this.requests.get(Number(message.id));
    if (request === undefined) {
      this.faults.push(`the client did not ask for ${line}`);
      return;
    }
    request.answers += 1;
    if (/"(?:isError|error)":/.test(line)) {
      const isReason = cause !== undefined && line.includes('UNAVAILABLE') && line.includes(HINTS[cause]);
      if (!isReason) this.faults.push(`not the reason: ${line}`);
      // What changes nothing is sent to a second desk.
      if (cause === 'lost' && request.method !== 'tools/call' && request.lost < 2)
        this.faults.push(`not sent once more: ${line}`);
    }
    if (Number(message.id) !== this.#initializeId) return;
    this.#handshake = message.result() === undefined ? 'failed' : 'done';
    if (this.#handshake === 'done') this.#fromClient(rpcLine({ method: 'notifications/initialized' }));
  }
}

test('in every run each request is answered once, no desk works on a tool call twice, each desk knows what was set, and no answer goes astray', () => {
  let calls = 0;
  fc.assert(
    fc.property(fc.boolean(), fc.array(steps, { maxLength: 80, size: 'max' }), (isGreeted, run) => {
      const world = new World();
      if (isGreeted) world.greet();
      for (const step of run) world.run(step);
      world.settle();
      expect(world.faults).toStrictEqual([]);
      for (const [id, { answers, isCancelled }] of world.requests) {
        if (isCancelled) expect(answers).toBeLessThanOrEqual(1);
        else expect([id, answers]).toStrictEqual([id, 1]);
      }
      for (const [id, count] of world.worked) expect([id, count]).toStrictEqual([id, 1]);
      expect(world.connection.isIdle).toBe(true);
      calls += world.worked.size;
    }),
    { numRuns: RUNS },
  );
  // The runs are about something.
  expect(calls).toBeGreaterThan(RUNS);
});

/** The messages of these effects, parsed. */
const parsed = (effects: readonly Effect[]) => effects.map(([kind, line]) => [kind, JSON.parse(line)]);

test('lines pass unchanged in both directions, byte for byte; the result of a call is not read, and answers it', () => {
  const { connection, effects } = record();
  connection.attached();
  const call = '{ "id":"a" , "method":"tools/call","jsonrpc":"2.0","params":{"name":"\\u0061"}}';
  for (const line of [call, 'no JSON']) connection.fromClient(line);
  const unread = '{"result":{not read,"jsonrpc":"2.0","id":"a"}';
  connection.fromDesk(unread);
  expect(effects()).toStrictEqual([
    ['toDesk', call],
    ['toDesk', 'no JSON'],
    ['toClient', unread],
  ]);
  // Nothing of the client is open, so the end of the desk is no failure of a call.
  connection.lost();
  expect(effects()).toStrictEqual([]);
  expect(connection.phase).toBe('detached');
});

test('a modern call whose desk ends gets a complete result', () => {
  const { connection, effects } = record();
  connection.attached();
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  connection.fromClient(rpcLine({ id: 5, method: 'tools/call', params: { name: 'add', _meta } }));
  effects();
  connection.lost();
  const text =
    '{"error":"The desk ended before it answered.","code":"UNAVAILABLE","hint":"Check whether the call took effect before you repeat it."}';
  const result = { content: [{ type: 'text', text }], isError: true, resultType: 'complete' };
  expect(parsed(effects())).toStrictEqual([['toClient', { jsonrpc: '2.0', id: 5, result }]]);
});

test('a modern subscription continues at each next desk, and the client learns that its lists may have changed', () => {
  const { connection, effects } = record();
  const _meta = { 'io.modelcontextprotocol/subscriptionId': 'listen:0' };
  const notifications = { toolsListChanged: true, resourcesListChanged: true };
  const params = { notifications, _meta };
  const confirmed = rpcLine({ method: 'notifications/subscriptions/acknowledged', params });
  const listen = rpcLine({ id: 'listen:0', method: 'subscriptions/listen', params: { notifications } });
  connection.attached();
  connection.fromClient(listen);
  connection.fromDesk(confirmed);
  expect(effects()).toStrictEqual([
    ['toDesk', listen],
    ['toClient', confirmed],
  ]);
  for (let desk = 2; desk < 4; desk += 1) {
    connection.lost();
    connection.attached();
    expect(effects()).toStrictEqual([['toDesk', listen]]);
    connection.fromDesk(confirmed);
    expect(parsed(effects())).toEqual([
      ['toClient', { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta } }],
      ['toClient', { jsonrpc: '2.0', method: 'notifications/resources/list_changed', params: { _meta } }],
    ]);
  }
  expect(connection.isIdle).toBe(true);
});

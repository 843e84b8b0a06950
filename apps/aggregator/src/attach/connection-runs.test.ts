import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Effect, RecordedConnection } from '../testing/recorded-connection.ts';
import { readMessage, rpcLine } from './message.ts';

const RUNS = process.env['DESKSIDE_PROOF'] === '1' ? 20_000 : 500;

/** How often each step occurs, besides the others. */
const WEIGHTS = {
  // Requests of the client.
  'tools/call': 6,
  'tools/list': 2,
  cancel: 1,
  // The desk reads its next line.
  work: 8,
  // The desk answers the oldest request that it read.
  answer: 6,
  ask: 2,
  // The client answers the oldest question that it got.
  reply: 2,
  crash: 3,
  attach: 4,
  fail: 1,
};
type Step = keyof typeof WEIGHTS;
const STEPS = Object.keys(WEIGHTS) as Step[];
const steps = fc.oneof(...STEPS.map((step) => ({ weight: WEIGHTS[step], arbitrary: fc.constant(step) })));

/** A legacy client, a row of desks, and the lines between them. */
class World {
  readonly connection = new RecordedConnection();
  /** How often each request of the client was answered. */
  readonly answers = new Map<number, number>();
  readonly cancelled = new Set<number>();
  /** How often a desk worked on each tool call. */
  readonly worked = new Map<number, number>();
  readonly faults: string[] = [];
  isConnecting = true;
  #nextId = 1;
  /** Lines on their way to the desk. */
  #toDesk: string[] = [];
  /** Requests that the desk read and did not answer. */
  #open: (string | number)[] = [];
  #deskNumber = 0;
  #questionNumber = 0;
  /** The order of the legacy era at the present desk. */
  #stage: 'new' | 'greeted' | 'ready' = 'new';
  #questions: (string | number)[] = [];

  #initializeId = 0;
  #handshake: 'open' | 'failed' | 'done' = 'failed';

  run(step: Step): void {
    switch (step) {
      case 'tools/call':
      case 'tools/list':
        // A client waits for the answer to `initialize`, and begins again after an error.
        if (this.#handshake === 'done') this.#request({ method: step });
        if (this.#handshake === 'failed') {
          this.#handshake = 'open';
          this.#initializeId = this.#nextId;
          this.#request({ method: 'initialize', params: { protocolVersion: 'v' } });
        }
        break;
      case 'cancel': {
        const id = [...this.answers].find(([key, count]) => key !== this.#initializeId && count === 0)?.[0];
        if (id === undefined || this.cancelled.has(id)) break;
        this.cancelled.add(id);
        this.#fromClient(rpcLine({ method: 'notifications/cancelled', params: { requestId: id } }));
        break;
      }
      case 'work':
        this.#work();
        break;
      case 'answer': {
        const id = this.#open.shift();
        if (id !== undefined) this.#apply(this.connection.fromDesk(this.#answerTo(id)));
        break;
      }
      case 'ask':
        if (this.#stage === 'ready') {
          const id = `${this.#deskNumber}/${this.#questionNumber++}`;
          const ask = rpcLine({ id, method: 'elicitation/create' });
          this.#apply(this.connection.fromDesk(ask));
        }
        break;
      case 'reply': {
        const question = this.#questions.shift();
        if (question !== undefined) this.#fromClient(rpcLine({ id: question, result: { for: question } }));
        break;
      }
      case 'crash':
        if (this.#isAttached()) {
          this.#forget();
          this.#apply(this.connection.lost());
        }
        break;
      case 'attach':
        if (this.isConnecting) {
          this.isConnecting = false;
          this.#deskNumber += 1;
          this.#apply(this.connection.attached());
        }
        break;
      case 'fail':
        if (this.isConnecting) {
          this.isConnecting = false;
          this.#apply(this.connection.failed());
        }
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
      else return;
    }
    this.faults.push('never settles');
  }

  #request(message: Readonly<Record<string, unknown>>): void {
    const id = this.#nextId++;
    this.answers.set(id, 0);
    this.#fromClient(rpcLine({ id, ...message }));
  }

  #isAttached(): boolean {
    return this.connection.phase === 'attached';
  }

  /** The desk is gone, with everything on its way. */
  #forget(): void {
    this.#toDesk = [];
    this.#open = [];
    this.#stage = 'new';
  }

  #fromClient(line: string): void {
    this.#apply(this.connection.fromClient(line));
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
    if (message.method === 'initialize') {
      if (this.#stage !== 'new') this.faults.push('a desk got a second initialize');
      this.#stage = 'greeted';
    } else if (this.#stage === 'new') this.faults.push(`a desk got ${line} before initialize`);
    if (message.method === 'tools/call')
      this.worked.set(Number(message.id), (this.worked.get(Number(message.id)) ?? 0) + 1);
    this.#open.push(message.id);
  }

  #answerTo(id: string | number): string {
    return rpcLine({ id, result: { protocolVersion: 'v', capabilities: { tools: { listChanged: true } } } });
  }

  #apply(effects: readonly Effect[]): void {
    for (const effect of effects) {
      switch (effect.kind) {
        case 'toDesk':
          this.#toDesk.push(effect.line);
          break;
        case 'toClient':
          this.#receive(effect.line);
          break;
        case 'connect':
          this.isConnecting = true;
      }
    }
  }

  #receive(line: string): void {
    const message = readMessage(line);
    if (message.kind === 'request') this.#questions.push(message.id);
    if (message.kind !== 'response') return;
    const id = Number(message.id);
    const count = this.answers.get(id);
    if (count === undefined) this.faults.push(`the client did not ask for ${line}`);
    else this.answers.set(id, count + 1);
    if (id !== this.#initializeId) return;
    this.#handshake = message.result() === undefined ? 'failed' : 'done';
    if (this.#handshake === 'done') this.#fromClient(rpcLine({ method: 'notifications/initialized' }));
  }
}

test('in every run each request is answered once, no desk works on a tool call twice, and no answer goes astray', () => {
  let calls = 0;
  fc.assert(
    fc.property(fc.boolean(), fc.array(steps, { maxLength: 80, size: 'max' }), (isGreeted, run) => {
      const world = new World();
      if (isGreeted) world.greet();
      for (const step of run) world.run(step);
      world.settle();
      expect(world.faults).toStrictEqual([]);
      for (const [id, count] of world.answers) {
        if (world.cancelled.has(id)) expect(count).toBeLessThanOrEqual(1);
        else expect([id, count]).toStrictEqual([id, 1]);
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

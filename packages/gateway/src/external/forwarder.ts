import { randomUUID } from 'node:crypto';
import { inputRequired, type RequestContext } from '@deskside/core';
import { UserError } from '@deskside/core/errors';
import type { ClientRoots } from '@deskside/core/internal';
import {
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  type LoggingMessageNotificationParams,
  type Progress,
  ProtocolError,
  type Result,
} from '@modelcontextprotocol/client';
import { withoutUndefined } from '../config/tables.ts';
import type { Connection, ConnectionEvents, ServerQuestion } from './connection.ts';
import {
  demandsVisit,
  foreignQuestion,
  visitNeeded,
  withForeignQuestions,
  withoutVisitId,
} from './foreign-questions.ts';
import { unavailable } from './problems.ts';
import { reasonOf } from './reasons.ts';
import { callProblem, isFault, connectionVerdict } from './refusals.ts';
import type { Method } from './results.ts';
import { Supervisor, type SupervisorOptions } from './supervisor.ts';

/** Sealed request state lives ten minutes; after it no caller of the modern era can answer a question. */
const QUESTION_LIMIT_MS = 10 * 60_000;
const NO_ANSWER = 'No answer came.';
const QUESTION_KEY = 'question';

/** A caller over stdio that reads slower than a server reports loses messages above the limits. */
const MAX_UNSENT_MESSAGES = 1000;
const MAX_UNSENT_CHARACTERS = 4_000_000;

/** A question that waits for the caller. */
interface OpenQuestion extends ServerQuestion {
  readonly answer: (result: Result) => void;
  readonly refuse: (error: Error) => void;
}

/**
 * A request that a server handles. It can outlive that of the caller: in the modern era the caller gets a
 * question of the server as the result, and calls again with the answer.
 */
class Call {
  readonly callerKey: string;
  /** In the modern era only some methods can return a question. */
  readonly canAsk: boolean;
  /** Aborted if the caller gives up, or at the time limit. */
  readonly controller = new AbortController();
  /** Aborts the question that is open when the server has answered. */
  withdraw: (() => void) | undefined;
  readonly result = Promise.withResolvers<Result>();
  /** The request of the caller that waits now. */
  ctx: RequestContext | undefined;
  isExpired = false;
  /** Runs while the caller waits for the server. Undefined while a person is asked. */
  stopLimit: (() => void) | undefined;
  readonly #questions: OpenQuestion[] = [];
  #asked = Promise.withResolvers<void>();
  #unsentMessages = 0;
  #unsentCharacters = 0;

  constructor(callerKey: string, canAsk: boolean) {
    this.callerKey = callerKey;
    this.canAsk = canAsk;
    // It may fail while no caller waits for it.
    this.result.promise.catch(() => undefined);
  }

  /** @returns undefined when there is a result @throws the error that is the outcome */
  async nextQuestion(): Promise<OpenQuestion | undefined> {
    if (this.#questions.length === 0) this.#asked = Promise.withResolvers();
    await Promise.race([this.result.promise, this.#asked.promise]);
    return this.#questions.shift();
  }

  endLimit(): void {
    this.stopLimit?.();
    this.stopLimit = undefined;
  }

  ask(question: ServerQuestion): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    question.signal.addEventListener('abort', () => reject(new Error('withdrawn')), { once: true });
    this.#questions.push({ ...question, answer: resolve, refuse: reject });
    this.#asked.resolve();
    return promise;
  }

  /** A caller that is gone aborts its call by its signal, so a failure says nothing. */
  tell(content: unknown, message: (ctx: RequestContext) => Promise<void>): void {
    const { ctx } = this;
    const isFull =
      this.#unsentMessages >= MAX_UNSENT_MESSAGES || this.#unsentCharacters > MAX_UNSENT_CHARACTERS;
    if (ctx === undefined || isFull) return;
    const characters = JSON.stringify(content)?.length ?? 0;
    this.#unsentMessages += 1;
    this.#unsentCharacters += characters;
    const sent = () => {
      this.#unsentMessages -= 1;
      this.#unsentCharacters -= characters;
    };
    message(ctx).then(sent, sent);
  }
}

interface Suspended {
  readonly call: Call;
  readonly question: OpenQuestion;
  readonly stop: () => void;
}

export interface ForwardedRequest {
  readonly method: Method;
  readonly params: Readonly<Record<string, unknown>>;
  /** Of a call of the modern era over HTTP, as the tool's schema demands. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Asked before the request is sent: a server that starts may list something else than before. */
  readonly isListed?: () => boolean;
}

export interface ForwarderOptions {
  readonly server: Omit<SupervisorOptions, 'events'> & {
    readonly events: Pick<ConnectionEvents, 'onUpdated'>;
  };
  /** Of the only caller, for questions between its calls. */
  readonly roots: ClientRoots | undefined;
  /** What the caller gets in place of an error. */
  readonly failureOf: (error: unknown, ctx: RequestContext) => unknown;
}

/** One running server, or the wish for one: sends the requests of its callers, and what belongs to them back. */
export class Forwarder {
  readonly supervisor: Supervisor;
  readonly #options: ForwarderOptions;
  readonly #running = new Set<Call>();
  readonly #suspended = new Map<string, Suspended>();
  readonly #stopRoots: (() => void) | undefined;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    const { server } = options;
    this.supervisor = new Supervisor({
      ...server,
      events: {
        ...server.events,
        onMessage: (message) => this.#onMessage(message),
        onQuestion: (question) => this.#onQuestion(question),
      },
    });
    this.#stopRoots = options.roots?.onChanged(() => void this.supervisor.rootsChanged());
  }

  async forward(request: ForwardedRequest, ctx: RequestContext): Promise<Result> {
    try {
      const result = await this.#forward(request, ctx);
      if (ctx.era === 'modern' || result['resultType'] !== 'complete') return result;
      // The legacy era has no types of results.
      const { resultType: _, ...rest } = result;
      return rest;
    } catch (error) {
      if (ctx.era === 'modern' && demandsVisit(error)) throw visitNeeded(error);
      throw this.#options.failureOf(error, ctx);
    }
  }

  async #forward(request: ForwardedRequest, ctx: RequestContext): Promise<Result> {
    const resumed = this.#resumed(ctx);
    if (resumed !== undefined) return this.#outcome(resumed, ctx);
    const call = new Call(ctx.caller.key, request.method !== 'completion/complete');
    this.#running.add(call);
    const outcome = this.#run(request, ctx, call).finally(() => {
      this.#running.delete(call);
      call.withdraw?.();
    });
    outcome.then(call.result.resolve, call.result.reject);
    return this.#outcome(call, ctx);
  }

  /** A log message belongs to a call only if no other caller could have caused it. */
  #onMessage({ level, data, logger }: LoggingMessageNotificationParams): void {
    const [first, ...others] = this.#running;
    if (first === undefined || others.some(({ callerKey }) => callerKey !== first.callerKey)) return;
    const call = others.at(-1) ?? first;
    // Servers of the legacy era are asked for every level, which a caller without a level has not asked for.
    if (level === 'debug' && call.ctx?.messageLevel === undefined) return;
    call.tell([data, logger], (ctx) => ctx.message(level, data, logger));
  }

  #onProgress(call: Call, { progress, total, message }: Progress): void {
    if (call.stopLimit !== undefined) this.#limit(call);
    call.tell(message, (ctx) => ctx.progress(progress, total, message));
  }

  #limit(call: Call): void {
    const { startTimer, limits } = this.#options.server;
    call.stopLimit?.();
    call.stopLimit = startTimer(limits.callMs, () => {
      call.isExpired = true;
      call.controller.abort(new Error('The time limit of the call.'));
    });
  }

  /** Only a connection of one caller may ask. */
  async #onQuestion(asked: ServerQuestion): Promise<Result> {
    const { roots, server } = this.#options;
    const question = { ...asked, params: foreignQuestion(server.id, asked.method, asked.params) };
    const call = [...this.#running].findLast(({ canAsk }) => canAsk);
    if (call !== undefined)
      return call.ask(question).catch((error: unknown) => {
        // A call that has ended was perhaps not the one that the question is of.
        if (asked.signal.aborted || this.#running.has(call)) throw error;
        return this.#onQuestion(asked);
      });
    if (question.method === 'roots/list' && roots !== undefined) return roots.list();
    throw new Error('No call is running that could ask the person.');
  }

  async close(): Promise<void> {
    this.#stopRoots?.();
    for (const { call, stop } of this.#suspended.values()) {
      stop();
      call.controller.abort(new Error('closing'));
    }
    this.#suspended.clear();
    await this.supervisor.close();
  }

  /** The caller answers a question: its call goes on. @returns undefined for a new call */
  #resumed(ctx: RequestContext): Call | undefined {
    const { suspended: id } = Object(ctx.input.state());
    if (id === undefined) return undefined;
    const suspended = this.#suspended.get(String(id));
    if (suspended === undefined) {
      const problem = `${this.#options.server.id} no longer waits for this answer.`;
      throw unavailable(problem, 'Make the call again.');
    }
    this.#suspended.delete(String(id));
    suspended.stop();
    const { call, question } = suspended;
    const answer = ctx.input.responses?.[QUESTION_KEY];
    if (typeof answer === 'object' && answer !== null) question.answer({ ...answer });
    else question.refuse(new Error('The client did not answer.'));
    return call;
  }

  /** Binds a call to a request of its caller, until its result or a question is the answer. */
  async #outcome(call: Call, ctx: RequestContext): Promise<Result> {
    const abort = () => call.controller.abort(ctx.signal.reason);
    ctx.signal.addEventListener('abort', abort, { once: true });
    if (ctx.signal.aborted) abort();
    call.ctx = ctx;
    try {
      for (;;) {
        this.#limit(call);
        const question = await call.nextQuestion().finally(() => call.endLimit());
        if (question === undefined) break;
        const { ask } = ctx.input;
        if (ask === undefined) return await this.#suspend(call, question, ctx);
        await this.#askCaller(call, question, ctx, ask);
      }
    } finally {
      ctx.signal.removeEventListener('abort', abort);
      call.ctx = undefined;
    }
    const result = withForeignQuestions(this.#options.server.id, await call.result.promise);
    if (result['resultType'] !== 'input_required' || typeof result['requestState'] !== 'string')
      return result;
    return { ...result, requestState: await ctx.input.seal({ upstream: result['requestState'] }) };
  }

  async #askCaller(
    call: Call,
    { method, params, signal, answer, refuse }: OpenQuestion,
    ctx: RequestContext,
    ask: NonNullable<RequestContext['input']['ask']>,
  ): Promise<void> {
    if (!this.#running.has(call)) return refuse(new Error('The server has answered.'));
    const over = new AbortController();
    const stop = this.#options.server.startTimer(QUESTION_LIMIT_MS, () => over.abort(new Error(NO_ANSWER)));
    call.withdraw = () => over.abort(new Error('The server has answered.'));
    const ended = AbortSignal.any([signal, ctx.signal, over.signal]);
    const asking = ctx.waitForPerson(() => ask(method, params, ended));
    await asking.then(answer, refuse).finally(stop);
  }

  async #suspend(call: Call, question: OpenQuestion, ctx: RequestContext): Promise<Result> {
    const id = randomUUID();
    const stop = this.#options.server.startTimer(QUESTION_LIMIT_MS, () => {
      this.#suspended.delete(id);
      call.controller.abort(new Error(NO_ANSWER));
    });
    this.#suspended.set(id, { call, question, stop });
    const { method, params } = question;
    const shown = { method, ...(params && { params: withoutVisitId(params) }) };
    return inputRequired({
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK has checked the question
      inputRequests: { [QUESTION_KEY]: shown as never },
      requestState: await ctx.input.seal({ suspended: id }),
    });
  }

  async #run(request: ForwardedRequest, ctx: RequestContext, call: Call): Promise<Result> {
    const { signal } = call.controller;
    for (let isRepeated = false; ; isRepeated = true) {
      let used: Connection | undefined;
      try {
        const result = await this.supervisor.use(signal, (connection) => {
          used = connection;
          if (request.isListed?.() === false) throw notListed(this.#options.server.id);
          const { method, headers = {} } = request;
          const params = this.#paramsFor(request.params, ctx, connection);
          return connection.request(method, params, {
            signal,
            headers,
            onProgress: (progress) => this.#onProgress(call, progress),
          });
        });
        this.#met(used, undefined);
        return result;
      } catch (error) {
        const isUnsent = used !== undefined && this.#judge(error, used, signal);
        if (isUnsent && !isRepeated && !signal.aborted) continue;
        const problem = callProblem(error, this.#options.server, call, used);
        this.#met(used, problem);
        throw problem;
      }
    }
  }

  /** Drops a connection that is of no use any more. @returns whether the call surely did not run */
  #judge(error: unknown, used: Connection, signal: AbortSignal): boolean {
    if (signal.aborted) return false;
    used.faults = isFault(error) ? used.faults + 1 : 0;
    const { isUnsent, connection } = connectionVerdict(error, used.hasSession, used.faults);
    const reason = connection === 'fail' ? reasonOf(error, this.#options.server, used.exit) : undefined;
    if (connection !== 'keep') this.supervisor.drop(used, reason);
    return isUnsent;
  }

  /** Tells what a call has met, for people. An error of the server is an answer; a login is asked for elsewhere. */
  #met(used: Connection | undefined, problem: unknown): void {
    if (used === undefined) return;
    if (problem === undefined) used.faults = 0;
    if (problem === undefined || problem instanceof ProtocolError) this.supervisor.met(undefined);
    const failure = UserError.is(problem) ? problem.failure : undefined;
    if (failure === undefined || !('code' in failure) || failure.code !== 'UNAVAILABLE') return;
    this.supervisor.met(failure.error.replace(`${this.#options.server.id} is not available. `, ''));
  }

  #paramsFor(
    params: Readonly<Record<string, unknown>>,
    ctx: RequestContext,
    connection: Connection,
  ): Record<string, unknown> {
    const { progressToken: _, ...meta } = ctx.meta;
    if (connection.era === 'legacy') {
      return Object.keys(meta).length === 0 ? { ...params } : { ...params, _meta: meta };
    }
    const level = ctx.messageLevel ?? (ctx.era === 'legacy' ? 'info' : undefined);
    return {
      ...params,
      _meta: {
        ...meta,
        // Each request says what its caller can answer: questions travel in results.
        [CLIENT_CAPABILITIES_META_KEY]: ctx.input.capabilities,
        ...(level === undefined || !connection.hasLogging ? {} : { [LOG_LEVEL_META_KEY]: level }),
      },
      ...withoutUndefined({
        inputResponses: ctx.input.responses,
        requestState: Object(ctx.input.state())['upstream'],
      }),
    };
  }
}

function notListed(id: string): UserError {
  return new UserError({
    error: `${id} has changed what this name stands for, or has removed it.`,
    code: 'UNAVAILABLE',
    hint: 'Read the list again. The person has to accept what has changed.',
  });
}

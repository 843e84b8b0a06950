import { randomUUID } from 'node:crypto';
import { inputRequired, type RequestContext } from '@deskside/core';
import { messageOf, UserError } from '@deskside/core/errors';
import type { ClientRoots } from '@deskside/core/internal';
import {
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  type LoggingMessageNotificationParams,
  ProtocolError,
  type Result,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/client';
import { withoutUndefined } from '../config/tables.ts';
import type { Connection, ConnectionEvents, ServerQuestion } from './connection.ts';
import {
  demandsVisit,
  foreignError,
  foreignQuestion,
  visitsOf,
  withForeignQuestions,
  withoutVisitId,
} from './foreign-questions.ts';
import { ownAnswerIn, unavailable } from './problems.ts';
import { loginAnswer, reasonOf } from './reasons.ts';
import { isBroken, isFault, mayHaveRun, verdictOn } from './refusals.ts';
import type { Method } from './results.ts';
import { type OpenQuestion, RunningCall, Unsent } from './running-call.ts';
import { Supervisor, type SupervisorOptions } from './supervisor.ts';

/** Sealed request state lives ten minutes; after it no caller of the modern era can answer a question. */
const QUESTION_LIMIT_MS = 10 * 60_000;
const MAY_HAVE_RUN = 'The call may have had an effect. Check before you repeat it.';
const NO_ANSWER = 'No answer came.';
/** One for all calls: to make one takes 10 µs. */
const ANSWERED = new Error('The server has answered.');
const QUESTION_KEY = 'question';

interface Suspended {
  readonly call: RunningCall;
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
  readonly #running = new Set<RunningCall>();
  readonly #unsent = new Unsent();
  readonly #suspended = new Map<string, Suspended>();

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
    const state = ctx.input.state();
    const suspended = this.#resume(state);
    if (suspended !== undefined) return this.#continue(suspended, ctx);
    const canAsk = request.method !== 'completion/complete';
    const call = new RunningCall(
      ctx.caller.key,
      canAsk,
      this.#options.server.limits.callMs,
      this.#options.server.startTimer,
    );
    this.#running.add(call);
    call.result = this.#run(request, ctx, call, upstreamState(state)).finally(() => {
      this.#running.delete(call);
      call.ended.abort(ANSWERED);
    });
    // It may fail while no caller waits for it.
    call.result.catch(() => undefined);
    return this.#outcome(call, ctx);
  }

  /** A log message belongs to a call only if no other caller could have caused it. */
  #onMessage({ level, data, logger }: LoggingMessageNotificationParams): void {
    const [first, ...others] = this.#running;
    if (first === undefined || others.some(({ callerKey }) => callerKey !== first.callerKey)) return;
    const { ctx } = others.at(-1) ?? first;
    // Servers of the legacy era are asked for every level, which a caller without a level has not asked for.
    if (level === 'debug' && ctx?.messageLevel === undefined) return;
    if (ctx !== undefined) this.#unsent.send([data, logger], () => ctx.message(level, data, logger));
  }

  /** Only a connection of one caller may ask. */
  async #onQuestion(asked: ServerQuestion): Promise<Result> {
    const question = {
      ...asked,
      params: foreignQuestion(this.#options.server.id, asked.method, asked.params),
    };
    const call = [...this.#running].findLast(({ canAsk }) => canAsk);
    if (call !== undefined) return call.ask(question);
    if (question.method === 'roots/list' && this.#options.roots !== undefined)
      return this.#options.roots.list();
    throw new Error('No call is running that could ask the person.');
  }

  async close(): Promise<void> {
    for (const { call, stop } of this.#suspended.values()) {
      stop();
      call.controller.abort(new Error('closing'));
    }
    this.#suspended.clear();
    await this.supervisor.close();
  }

  #resume(state: unknown): Suspended | undefined {
    if (typeof state !== 'object' || state === null || !('suspended' in state)) return undefined;
    const id = String(state.suspended);
    const suspended = this.#suspended.get(id);
    if (suspended === undefined) {
      throw unavailable(
        `${this.#options.server.id} no longer waits for this answer.`,
        'Make the call again.',
      );
    }
    this.#suspended.delete(id);
    suspended.stop();
    return suspended;
  }

  #continue({ call, question }: Suspended, ctx: RequestContext): Promise<Result> {
    const answer = ctx.input.responses?.[QUESTION_KEY];
    if (typeof answer === 'object' && answer !== null) question.answer({ ...answer });
    else question.refuse(new Error('The client did not answer.'));
    return this.#outcome(call, ctx);
  }

  async #outcome(call: RunningCall, ctx: RequestContext): Promise<Result> {
    let outcome = await call.next(ctx);
    while ('question' in outcome) {
      const { ask } = ctx.input;
      if (ask === undefined) return this.#suspend(call, outcome.question, ctx);
      const { method, params, signal, answer, refuse } = outcome.question;
      const limit = new AbortController();
      const stop = this.#options.server.startTimer(QUESTION_LIMIT_MS, () =>
        limit.abort(new Error(NO_ANSWER)),
      );
      const ended = AbortSignal.any([signal, ctx.signal, call.ended.signal, limit.signal]);
      await ctx
        .waitForPerson(() => ask(method, params, ended))
        .then(answer, (error: Error) => {
          // Before the server can go on without an answer.
          if (ctx.signal.aborted) call.controller.abort(ctx.signal.reason);
          refuse(error);
        })
        .finally(stop);
      outcome = await call.next(ctx);
    }
    const result = withForeignQuestions(this.#options.server.id, outcome.result);
    if (result['resultType'] !== 'input_required' || typeof result['requestState'] !== 'string')
      return result;
    return { ...result, requestState: await ctx.input.seal({ upstream: result['requestState'] }) };
  }

  async #suspend(call: RunningCall, question: OpenQuestion, ctx: RequestContext): Promise<Result> {
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

  async #run(
    request: ForwardedRequest,
    ctx: RequestContext,
    call: RunningCall,
    state: string | undefined,
  ): Promise<Result> {
    const { signal } = call.controller;
    for (let isRepeated = false; ; isRepeated = true) {
      let used: Connection | undefined;
      try {
        const result = await this.supervisor.use(signal, (connection) => {
          used = connection;
          if (request.isListed?.() === false) throw notListed(this.#options.server.id);
          const { method, headers = {} } = request;
          const params = this.#paramsFor(request.params, ctx, connection, state);
          return connection.request(method, params, { signal, headers, onProgress: call.onProgress });
        });
        this.#met(used, undefined);
        return result;
      } catch (error) {
        const isUnsent = used !== undefined && this.#judge(error, used, signal);
        if (isUnsent && !isRepeated && !signal.aborted) continue;
        const problem = this.#problem(error, call, used);
        this.#met(used, problem);
        throw problem;
      }
    }
  }

  /** Drops a connection that is of no use any more. @returns whether the call surely did not run */
  #judge(error: unknown, used: Connection, signal: AbortSignal): boolean {
    if (signal.aborted) return false;
    used.faults = isFault(error) ? used.faults + 1 : 0;
    const { isUnsent, connection } = verdictOn(error, used.hasSession, used.faults);
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
    state: string | undefined,
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
      ...withoutUndefined({ inputResponses: ctx.input.responses, requestState: state }),
    };
  }

  /** Errors of the server pass; everything else is said in our own words. */
  #problem(error: unknown, call: RunningCall, used: Connection | undefined): unknown {
    const { id } = this.#options.server;
    if (call.isExpired) {
      const seconds = Math.round(this.#options.server.limits.callMs / 1000);
      return unavailable(
        `${id} did not answer within ${seconds} s.`,
        'It may still be working. Raise timeout_seconds of this server in deskside.toml if it needs more time.',
      );
    }
    if (call.controller.signal.aborted || UserError.is(error)) return error;
    const own = ownAnswerIn(error);
    if (own === 'too long') {
      return new UserError({
        error: `${id}: ${messageOf(error)}`,
        code: 'RESULT_TOO_LARGE',
        hint: 'Ask for less, or raise max_result_bytes of this server in deskside.toml.',
      });
    }
    if (
      own === 'lost' ||
      (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) ||
      (used !== undefined && isBroken(error))
    ) {
      const exit = used?.exit === undefined ? '' : ` (${used.exit})`;
      return unavailable(`${id} ended during the call${exit}.`, MAY_HAVE_RUN);
    }
    if (own === 'invalid' || (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)) {
      return new UserError({
        error: `${id} answered with an invalid result.`,
        code: 'INVALID_ANSWER',
        hint: 'Report it to the author of this server.',
      });
    }
    if (error instanceof ProtocolError) return foreignError(id, error);
    const login = loginAnswer(error, this.#options.server);
    if (login !== undefined) return login;
    return unavailable(
      `${id} is not available. ${reasonOf(error, this.#options.server)}`,
      mayHaveRun(error) ? MAY_HAVE_RUN : 'Continue without it, or try again later.',
    );
  }
}

/** The modern era has no error that demands visits. */
function visitNeeded(error: ProtocolError): UserError {
  const addresses = visitsOf(error)
    .filter(({ url }) => typeof url === 'string')
    .map(({ message, url }) => ` ${String(message)}: ${String(url)}`);
  return new UserError({
    error: error.message + addresses.join(''),
    code: 'VISIT_NEEDED',
    hint: 'Ask the person to finish this in the browser, then call again.',
  });
}

function notListed(id: string): UserError {
  return new UserError({
    error: `${id} has changed what this name stands for, or has removed it.`,
    code: 'UNAVAILABLE',
    hint: 'Read the list again. The person has to accept what has changed.',
  });
}

function upstreamState(state: unknown): string | undefined {
  if (typeof state !== 'object' || state === null || !('upstream' in state)) return undefined;
  return typeof state.upstream === 'string' ? state.upstream : undefined;
}

import type { RequestContext } from '@deskside/core';
import type { Progress, Result } from '@modelcontextprotocol/client';
import type { StartTimer } from '../mounts/timer.ts';
import type { ServerQuestion } from './connection.ts';

/** A question that waits for the caller. */
export interface OpenQuestion extends ServerQuestion {
  readonly answer: (result: Result) => void;
  readonly refuse: (error: Error) => void;
}

const MAX_UNSENT_MESSAGES = 1000;
const MAX_UNSENT_CHARACTERS = 4_000_000;

/** A caller over stdio that reads slower than a server reports loses the messages above the limits. */
export class Unsent {
  #messages = 0;
  #characters = 0;

  /** A caller that is gone aborts its call by its signal, so a failure says nothing. */
  send(content: unknown, message: () => Promise<void>): void {
    if (this.#messages >= MAX_UNSENT_MESSAGES || this.#characters > MAX_UNSENT_CHARACTERS) return;
    const characters = JSON.stringify(content)?.length ?? 0;
    this.#messages += 1;
    this.#characters += characters;
    const sent = () => {
      this.#messages -= 1;
      this.#characters -= characters;
    };
    message().then(sent, sent);
  }
}

/**
 * A request that a server handles. It can outlive the request of the caller: in the modern era the caller gets a
 * question of the server as the result, and calls again with the answer.
 */
export class RunningCall {
  readonly callerKey: string;
  /** In the modern era only some methods can return a question. */
  readonly canAsk: boolean;
  /** Aborted if the caller gives up, or at the time limit. */
  readonly controller = new AbortController();
  /** Aborted when the server has answered: it may leave its question open. */
  readonly ended = new AbortController();
  isExpired = false;
  result: Promise<Result> | undefined;
  #ctx: RequestContext | undefined;
  readonly #unsent = new Unsent();
  readonly #limitMs: number;
  readonly #startTimer: StartTimer;
  #stopTimer: (() => void) | undefined;
  readonly #questions: OpenQuestion[] = [];
  #onQuestion: ((question: OpenQuestion) => void) | undefined;

  constructor(callerKey: string, canAsk: boolean, limitMs: number, startTimer: StartTimer) {
    this.callerKey = callerKey;
    this.canAsk = canAsk;
    this.#limitMs = limitMs;
    this.#startTimer = startTimer;
  }

  /** The request of the caller that waits now. */
  get ctx(): RequestContext | undefined {
    return this.#ctx;
  }

  /** Binds the call to a request of the caller, until its result or its next question. */
  async next(
    ctx: RequestContext,
  ): Promise<{ readonly result: Result } | { readonly question: OpenQuestion }> {
    const { promise: asked, resolve: ask } = Promise.withResolvers<OpenQuestion>();
    const abort = () => this.controller.abort(ctx.signal.reason);
    ctx.signal.addEventListener('abort', abort, { once: true });
    if (ctx.signal.aborted) abort();
    this.#ctx = ctx;
    this.#onQuestion = ask;
    this.#restart();
    const waiting = this.#questions.shift();
    if (waiting !== undefined) ask(waiting);
    try {
      return await Promise.race([
        (this.result ?? Promise.reject(new Error('not started'))).then((result) => ({ result })),
        asked.then((question) => ({ question })),
      ]);
    } finally {
      ctx.signal.removeEventListener('abort', abort);
      this.#stop();
      this.#ctx = undefined;
      this.#onQuestion = undefined;
    }
  }

  readonly onProgress = ({ progress, total, message }: Progress): void => {
    const ctx = this.#ctx;
    if (ctx === undefined) return;
    this.#restart();
    this.#unsent.send(message, () => ctx.progress(progress, total, message));
  };

  ask(question: ServerQuestion): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const open = { ...question, answer: resolve, refuse: reject };
    question.signal.addEventListener('abort', () => reject(new Error('withdrawn')), { once: true });
    if (this.#onQuestion === undefined) this.#questions.push(open);
    else {
      this.#onQuestion(open);
      this.#onQuestion = undefined;
    }
    return promise;
  }

  /** The time in which the caller waits for the server counts; the time in which a person is asked does not. */
  #restart(): void {
    this.#stopTimer?.();
    this.#stopTimer = this.#startTimer(this.#limitMs, () => {
      this.isExpired = true;
      this.controller.abort(new Error('The time limit of the call.'));
    });
  }

  #stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }
}

/** The same promise, which a signal ends sooner. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

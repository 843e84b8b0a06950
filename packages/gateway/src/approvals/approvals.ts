import { randomUUID } from 'node:crypto';
import type { RequestContext, ServerDefinition } from '@deskside/core';
import { digestOf } from '@deskside/desktop';
import type { Mount } from '../mounts/mount.ts';
import type { ApprovalLevel } from '../profiles/profile.ts';
import { Deciding, type DecidingOptions, type Decision } from './deciding.ts';
import { levelOf, type Levels } from './levels.ts';
import { withProgress } from './question.ts';
import { denied, notApproved } from './texts.ts';
import { asksAt, wordOf } from './words.ts';

type CallResult = Awaited<ReturnType<ServerDefinition['callTool']>>;

export interface ApprovalsOptions extends DecidingOptions {
  readonly levels: Levels;
}

/** A call of a mount that has `approvals`. */
export interface GuardedCall {
  readonly mount: Mount;
  /** As callers of the mount know it. */
  readonly tool: string;
  readonly args: unknown;
  /** As the mount sees the request. */
  readonly ctx: RequestContext;
  /** Of the profile whose address the caller has chosen. */
  readonly route?: ApprovalLevel | undefined;
  /** The client knows the tool from a search. It asks for a permission of `call_tool`, if at all. */
  readonly isSearched?: boolean;
}

/** Decides whether a call runs. */
export interface CallGuard {
  call(call: GuardedCall, run: (ctx: RequestContext) => Promise<CallResult>): Promise<CallResult>;
}

/** Rounds of calls that returned a question of their server: the answer belongs to a call that was allowed. */
const MAX_ROUNDS = 1000;

/** The person decides what servers of other authors may do. The one place that lets a call of them through. */
export class Approvals implements CallGuard {
  /** What the configuration says now. */
  levels: Levels;
  readonly #deciding: Deciding;
  readonly #rounds = new Set<string>();

  constructor(options: ApprovalsOptions) {
    this.levels = options.levels;
    this.#deciding = new Deciding(options);
  }

  /** Runs a call if it may run: at once, or after a yes of the person. */
  async call(call: GuardedCall, run: (ctx: RequestContext) => Promise<CallResult>): Promise<CallResult> {
    const { mount, tool, args, ctx, isSearched = false } = call;
    const { approvals } = mount;
    if (approvals === undefined) return run(ctx);
    const own = this.#inRounds(ctx);
    let isDenied: boolean | 'unknown' | undefined;
    let allowed: string | undefined;
    for (;;) {
      const found = approvals.toolOf(tool, ctx);
      // No turn between the look at the definition and the call of it, if the mount needs none.
      const accepted = found instanceof Promise ? await found : found;
      // The mount says that it is unknown.
      if (accepted === undefined) return run(ctx);
      const name = ctx.toolName(tool);
      const { word } = wordOf(accepted, approvals.rules, isSearched);
      if (word === 'block') return denied(name, '');
      const level = levelOf(ctx, this.levels, call.route);
      const asked = { mount: mount.id, tool: accepted, args, ctx };
      const asks = word === 'ask' && asksAt(level, accepted, approvals.rules);
      // A rule that cannot be read may forbid it: then the person decides.
      if (!asks && isDenied !== 'unknown') {
        if (isDenied !== undefined) return isDenied ? denied(name, '') : run(own.ctx);
        isDenied = await this.#deciding.isDenied(asked);
        continue;
      }
      const definition = digestOf(accepted.definition);
      // What was allowed is what is accepted now. A changed definition asks again.
      if (own.isAllowed || allowed === definition) {
        ctx.signal.throwIfAborted();
        return run(own.ctx);
      }
      const decision = await ctx.waitForPerson(() =>
        withProgress(ctx, this.#deciding.decide(asked, definition)),
      );
      const refusal = refusalOf(decision, name);
      if (refusal !== undefined) return refusal;
      allowed = definition;
    }
  }

  /**
   * A server can answer a call with a question; its caller then calls again with the answer and with sealed state. That
   * state lets the next round run once without another yes.
   */
  #inRounds(ctx: RequestContext): { readonly ctx: RequestContext; readonly isAllowed: boolean } {
    const state = ctx.input.state();
    const round = isRound(state) ? state : undefined;
    const { input } = ctx;
    return {
      isAllowed: round !== undefined && this.#rounds.delete(round.round),
      ctx: {
        ...ctx,
        input: {
          ...input,
          state: () => (round === undefined ? state : round.payload),
          seal: (payload) => input.seal({ round: this.#newRound(), payload }),
        },
      },
    };
  }

  #newRound(): string {
    const round = randomUUID();
    this.#rounds.add(round);
    const [oldest] = this.#rounds;
    if (this.#rounds.size > MAX_ROUNDS && oldest !== undefined) this.#rounds.delete(oldest);
    return round;
  }
}

function isRound(state: unknown): state is { readonly round: string; readonly payload: unknown } {
  return typeof state === 'object' && state !== null && 'round' in state && 'payload' in state;
}

function refusalOf(decision: Decision, name: string): CallResult {
  switch (decision.kind) {
    case 'allowed':
      return undefined;
    case 'denied':
      return denied(name, decision.reason);
    case 'unanswered':
      return notApproved(name, decision.why);
  }
}

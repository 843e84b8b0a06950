import { randomUUID } from 'node:crypto';
import type { RequestContext } from '@deskside/core';
import { messageOf } from '@deskside/core/errors';
import { digestOf } from '@deskside/desktop';
import { kept } from '../mounts/kept.ts';
import type { CallResult, Mount } from '../mounts/mount.ts';
import type { ApprovalLevel } from '../profiles/profile.ts';
import { Deciding, type DecidingOptions } from './deciding.ts';
import { levelOf, type Levels } from './levels.ts';
import { type Asked, withProgress } from './question.ts';
import type { Decided } from './rule-store.ts';
import { denied } from './texts.ts';
import { type CallFacts, verdictOn } from './verdict.ts';

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
  readonly #rules: DecidingOptions['rules'];
  readonly #deciding: Deciding;
  readonly #rounds = new Set<string>();

  constructor(options: DecidingOptions & { readonly levels: Levels }) {
    this.levels = options.levels;
    this.#rules = options.rules;
    this.#deciding = new Deciding(options);
  }

  /** Runs a call if it may run: at once, or after a yes of the person. */
  async call(call: GuardedCall, run: (ctx: RequestContext) => Promise<CallResult>): Promise<CallResult> {
    const { mount, tool, args, ctx, isSearched = false } = call;
    const { approvals } = mount;
    if (approvals === undefined) return run(ctx);
    const own = this.#inRounds(ctx);
    let allowed: string | undefined;
    for (;;) {
      const found = approvals.toolOf(tool, ctx);
      // No turn between the look at the definition and the call of it, if the mount needs none.
      const accepted = found instanceof Promise ? await found : found;
      // The mount says that it is unknown.
      if (accepted === undefined) return run(ctx);
      const asked = { mount: mount.id, tool: accepted, args, ctx };
      const decided = decidedOf(asked);
      const rule = this.#ruleFor(asked, decided);
      const verdict = verdictOn({
        tool: accepted,
        rules: approvals.rules,
        level: levelOf(ctx, this.levels, call.route),
        isSearched,
        rule,
        // What was allowed is what is accepted now. A changed definition asks again.
        isAllowed: own.isAllowed || (allowed !== undefined && allowed === decided.definition),
      });
      if (verdict === 'refuse') return denied(ctx.toolName(tool), '');
      if (verdict === 'run') {
        ctx.signal.throwIfAborted();
        return run(own.ctx);
      }
      // A copy: its getters digest each time.
      const decision = await ctx.waitForPerson(() =>
        withProgress(
          ctx,
          this.#deciding.decide({ ...asked, isWithoutRules: rule === 'unknown' }, { ...decided }),
        ),
      );
      if (decision !== 'allowed') return decision(ctx.toolName(tool));
      allowed = decided.definition;
    }
  }

  #ruleFor({ ctx }: Asked, decided: Decided): CallFacts['rule'] {
    try {
      return this.#rules.find(decided)?.word;
    } catch (error) {
      ctx.log.error('the rules cannot be read, so each call asks', { error: messageOf(error) });
      return 'unknown';
    }
  }

  /**
   * A server can answer a call with a question; its caller then calls again with the answer and with sealed state. That
   * state lets the next round run once without another yes.
   */
  #inRounds(ctx: RequestContext): { readonly ctx: RequestContext; readonly isAllowed: boolean } {
    const { input } = ctx;
    const state = input.state();
    const round = isRound(state) ? state : undefined;
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

const definitionDigest = kept<[object], string>(digestOf);

/** Digests are made if a rule asks for them: most calls meet no rule. */
function decidedOf({ mount, tool, args, ctx }: Asked): Decided {
  const { user, token } = ctx.principal;
  const { transport } = ctx;
  return {
    mount,
    tool: tool.name,
    user,
    transport,
    token,
    get definition() {
      return definitionDigest(tool.definition);
    },
    get arguments() {
      return digestOf(args ?? {});
    },
  };
}

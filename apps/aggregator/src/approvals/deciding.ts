import type { Approval, PopupOutcome } from '@deskside/notify-popup';
import { messageOf } from '@deskside/core/errors';
import { digestOf } from '../files/digest.ts';
import { type Asked, callerFor, type Person, requestFor } from './question.ts';
import type { Decided, RuleStore } from './rule-store.ts';
import { SessionMemory } from './sessions.ts';
import type { Unanswered } from './texts.ts';
import { isDestructive } from './words.ts';

/** What became of one call. */
export type Decision =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied'; readonly reason: string }
  | { readonly kind: 'unanswered'; readonly why: Unanswered };

const ALLOWED: Decision = { kind: 'allowed' };

interface Waiter {
  readonly asked: Asked;
  readonly resolve: (decision: Decision) => void;
  readonly reject: (reason: unknown) => void;
}

/** Equal calls of one conversation. They share a window. */
interface Group {
  readonly key: string;
  readonly decided: Decided;
  /** Conversation, tool and definition. */
  readonly tool: string;
  readonly hasSession: boolean;
  readonly waiters: Set<Waiter>;
  /** Withdraws the window that is open. */
  stop: AbortController;
  /** The item in the inbox. */
  item: string | undefined;
}

/** Decides on calls by what is remembered, else asks the person. Each yes lets as many calls through as it says. */
export class Deciding {
  readonly #rules: Pick<RuleStore, 'find' | 'add'>;
  readonly #person: () => Promise<Person | undefined>;
  readonly #sessions = new SessionMemory();
  readonly #groups = new Map<string, Group>();

  constructor(rules: Pick<RuleStore, 'find' | 'add'>, person: () => Promise<Person | undefined>) {
    this.#rules = rules;
    this.#person = person;
  }

  /** @throws the reason of the signal if the caller gives up */
  async decide(asked: Asked, definition: string): Promise<Decision> {
    const decided = decidedOf(asked, definition);
    const rule = await this.#rule(asked, decided);
    if (rule !== undefined) return rule === 'allow' ? ALLOWED : { kind: 'denied', reason: '' };
    asked.ctx.signal.throwIfAborted();
    const { caller } = asked.ctx;
    // A client names its conversation: two connections never share one.
    const tool = digestOf([caller.connection, caller.session, decided.mount, decided.tool, definition]);
    const reason = this.#sessions.denial(tool);
    if (reason !== undefined) return { kind: 'denied', reason };
    if (this.#sessions.isAllowed(tool)) return ALLOWED;
    return this.#wait(asked, { decided, tool, hasSession: caller.session !== undefined });
  }

  async #rule({ ctx }: Asked, decided: Decided): Promise<'allow' | 'deny' | undefined> {
    try {
      return (await this.#rules.find(decided))?.word;
    } catch (error) {
      ctx.log.error('remembered approvals cannot be used', { error: messageOf(error) });
      return undefined;
    }
  }

  #wait(asked: Asked, about: Pick<Group, 'decided' | 'tool' | 'hasSession'>): Promise<Decision> {
    const key = `${about.tool} ${about.decided.arguments}`;
    const known = this.#groups.get(key);
    const group = known ?? {
      ...about,
      key,
      waiters: new Set(),
      stop: new AbortController(),
      item: undefined,
    };
    const { promise, resolve, reject } = Promise.withResolvers<Decision>();
    const waiter = { asked, resolve, reject };
    group.waiters.add(waiter);
    const { signal } = asked.ctx;
    const leave = () => {
      if (!group.waiters.delete(waiter)) return;
      reject(signal.reason);
      if (group.waiters.size === 0) group.stop.abort();
      else void this.#recount(group);
    };
    signal.addEventListener('abort', leave, { once: true });
    if (known === undefined) {
      this.#groups.set(key, group);
      void this.#ask(group);
    } else void this.#recount(group);
    return promise.finally(() => signal.removeEventListener('abort', leave));
  }

  async #recount({ item, waiters }: Group): Promise<void> {
    if (item !== undefined) (await this.#person())?.inbox.recount(item, waiters.size);
  }

  /** Asks until no equal call waits: `once` lets exactly one through. */
  async #ask(group: Group): Promise<void> {
    for (;;) {
      const [first] = group.waiters;
      if (first === undefined) return void this.#groups.delete(group.key);
      const { signal } = (group.stop = new AbortController());
      try {
        const outcome = await this.#outcome(group, first.asked, signal);
        // A press in a window that was being withdrawn means no call that came after it.
        if (!signal.aborted) await this.#apply(group, outcome);
      } catch (error) {
        first.asked.ctx.log.error('the person could not be asked', { error: messageOf(error) });
        settle(group, { kind: 'unanswered', why: 'unreachable' });
      }
    }
  }

  async #outcome(group: Group, asked: Asked, signal: AbortSignal): Promise<PopupOutcome> {
    const person = await this.#person();
    if (person === undefined) return { kind: 'no-display', tried: [] };
    const caller = callerFor(asked, signal);
    const request = requestFor(asked, person.theme, group.waiters.size, this.#more(group));
    group.item = caller.item.id;
    return person.inbox.ask(request, caller).finally(() => (group.item = undefined));
  }

  #more({ tool, hasSession }: Group): Approval['more'] {
    if (!hasSession) return ['always'];
    return this.#sessions.isOftenAllowed(tool) ? ['session', 'always'] : ['always', 'session'];
  }

  async #apply(group: Group, outcome: PopupOutcome): Promise<void> {
    const { tool } = group;
    switch (outcome.kind) {
      case 'allowed':
        return this.#allow(group, outcome.scope);
      case 'denied':
        if (group.hasSession) this.#sessions.deny(tool, outcome.text);
        settle(group, { kind: 'denied', reason: outcome.text });
        if (this.#sessions.denial(tool) !== undefined)
          this.#settleTool(tool, { kind: 'denied', reason: outcome.text });
        return;
      case 'timeout':
      case 'dismissed':
        return settle(group, { kind: 'unanswered', why: outcome.kind });
      default:
        settle(group, { kind: 'unanswered', why: 'unreachable' });
    }
  }

  async #allow(group: Group, scope: 'once' | 'session' | 'always'): Promise<void> {
    const { tool, decided } = group;
    const [first] = group.waiters;
    if (first === undefined) return;
    if (scope === 'session') {
      this.#sessions.allow(tool);
      return this.#settleTool(tool, ALLOWED);
    }
    if (scope === 'always') {
      const isExact = isDestructive(first.asked.tool);
      if (await this.#remember(first.asked, decided, isExact))
        return isExact ? settle(group, ALLOWED) : this.#settleTool(tool, ALLOWED);
    }
    // The caller may have gone meanwhile: then the next equal call is the one.
    const [next] = group.waiters;
    if (next === undefined) return;
    this.#sessions.allowOnce(tool);
    group.waiters.delete(next);
    next.resolve(ALLOWED);
  }

  /** @returns false if it cannot be stored: then the yes counts once */
  async #remember({ ctx }: Asked, decided: Decided, isExact: boolean): Promise<boolean> {
    const { arguments: args, token, ...rest } = decided;
    try {
      await this.#rules.add({
        word: 'allow',
        ...rest,
        ...(token === undefined ? {} : { token }),
        ...(isExact ? { arguments: args } : {}),
      });
      return true;
    } catch (error) {
      ctx.log.error('the approval cannot be remembered', { error: messageOf(error) });
      return false;
    }
  }

  /** Also the calls with other arguments that wait for their own windows. */
  #settleTool(tool: string, decision: Decision): void {
    for (const group of this.#groups.values()) if (group.tool === tool) settle(group, decision);
  }
}

/** Decides on all equal calls, and withdraws their window. */
function settle(group: Group, decision: Decision): void {
  const waiters = [...group.waiters];
  group.waiters.clear();
  for (const { resolve } of waiters) resolve(decision);
  group.stop.abort();
}

function decidedOf({ mount, tool, args, ctx }: Asked, definition: string): Decided {
  const { user, token } = ctx.principal;
  const { transport } = ctx;
  return {
    mount,
    tool: tool.name,
    definition,
    arguments: digestOf(args ?? {}),
    user,
    transport,
    token,
  };
}

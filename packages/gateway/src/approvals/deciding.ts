import { randomUUID } from 'node:crypto';
import { type Approval, type PopupOutcome, type Scope, digestOf } from '@deskside/desktop';
import { messageOf } from '@deskside/core/errors';
import { backgroundTimer, type StartTimer } from '../mounts/timer.ts';
import { approvalFor, type Asked, callerFor, type Person, requestFor } from './question.ts';
import type { Decided, RuleStore } from './rule-store.ts';
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

/** Equal calls. */
interface Group {
  /** Names it in the window. A later group of equal calls has another one: no earlier answer is for it. */
  readonly id: string;
  readonly decided: Decided;
  readonly argumentCharacters: number;
  readonly waiters: Set<Waiter>;
}

/** All calls of a tool that wait in one conversation. They share a window. */
interface Question {
  /** Conversation, tool and definition. */
  readonly tool: string;
  readonly hasSession: boolean;
  /** By the digest of their arguments, the earliest first. None is empty. */
  readonly groups: Map<string, Group>;
  /** Withdraws the window that is open. */
  stop: AbortController;
  /** The item in the inbox. */
  item: string | undefined;
  /** What the window shows, by ids. */
  shown: string;
  /** What it shows has just been changed; `stale`: and is to be changed once more. */
  pause: 'none' | 'fresh' | 'stale';
}

/** What the person has decided on a tool in a conversation. It ends with this process. */
interface ToolMemory {
  readonly denials: number;
  /** The answer to all further calls. */
  readonly decision?: Decision | undefined;
}

/** After so many denials a tool is denied for the conversation. */
const MAX_DENIALS = 2;
/** Clients name their conversations. */
const MAX_TOOLS = 10_000;
/** Between two changes of what a window shows: an agent can make and cancel calls without end. */
const UPDATE_INTERVAL_MS = 100;
/** What one window shows. Further calls follow in the next one. */
const MAX_GROUPS = 20;
/** Of all arguments that a window shows, unless one call has more: to render a megabyte takes a tenth of a second. */
const MAX_SHOWN_CHARACTERS = 1_000_000;

export interface DecidingOptions {
  readonly rules: Pick<RuleStore, 'find' | 'add'>;
  /** Undefined if nothing can ask the person. */
  readonly person: () => Promise<Person | undefined>;
  readonly startTimer?: StartTimer;
}

/** Decides on calls by what is remembered, else asks the person. Each yes lets as many calls through as it says. */
export class Deciding {
  readonly #options: DecidingOptions;
  /** The latest used at the end. */
  readonly #tools = new Map<string, ToolMemory>();
  readonly #questions = new Map<string, Question>();

  constructor(options: DecidingOptions) {
    this.#options = options;
  }

  /** @throws the reason of the signal if the caller gives up */
  async decide(asked: Asked, definition: string): Promise<Decision> {
    // A copy: the getter digests the arguments each time.
    const decided = { ...decidedOf(asked, definition) };
    const rule = await this.#rule(asked, decided);
    if (rule === 'allow') return ALLOWED;
    if (rule === 'deny') return { kind: 'denied', reason: '' };
    asked.ctx.signal.throwIfAborted();
    const { caller } = asked.ctx;
    // A client names its conversation: two connections never share one.
    const { mount, user, token = null } = decided;
    const tool = digestOf([caller.connection, caller.session, user, token, mount, decided.tool, definition]);
    const known = this.#tools.get(tool)?.decision;
    if (known !== undefined) return known;
    const hasSession = caller.session !== undefined;
    return this.#wait({ ...asked, isWithoutRules: rule === 'unknown' }, { decided, tool, hasSession });
  }

  /** Whether a rule of the person forbids a call of a tool that asks nothing. */
  async isDenied(asked: Asked): Promise<boolean | 'unknown'> {
    const rule = await this.#rule(asked, decidedOf(asked, ''));
    return rule === 'unknown' ? rule : rule === 'deny';
  }

  async #rule({ ctx }: Asked, decided: Decided): Promise<'allow' | 'deny' | 'unknown' | undefined> {
    try {
      return (await this.#options.rules.find(decided))?.word;
    } catch (error) {
      ctx.log.error('the rules cannot be read, so each call asks', { error: messageOf(error) });
      return 'unknown';
    }
  }

  #wait(
    asked: Asked,
    { decided, tool, hasSession }: Pick<Group, 'decided'> & Pick<Question, 'tool' | 'hasSession'>,
  ): Promise<Decision> {
    const known = this.#questions.get(tool);
    const fresh = { stop: new AbortController(), item: undefined, shown: '', pause: 'none' } as const;
    const question: Question = known ?? { tool, hasSession, groups: new Map(), ...fresh };
    const { groups } = question;
    const group = groups.get(decided.arguments) ?? groupOf(asked, decided);
    groups.set(decided.arguments, group);
    const { promise, resolve, reject } = Promise.withResolvers<Decision>();
    const waiter = { asked, resolve, reject };
    group.waiters.add(waiter);
    const { signal } = asked.ctx;
    const leave = () => {
      if (!group.waiters.has(waiter)) return;
      take(question, group, waiter);
      reject(signal.reason);
      void this.#show(question);
    };
    signal.addEventListener('abort', leave, { once: true });
    if (known === undefined) {
      this.#questions.set(tool, question);
      void this.#ask(question);
    } else void this.#show(question);
    return promise.finally(() => signal.removeEventListener('abort', leave));
  }

  /** Shows in the window what waits now: at once, or when the pause after the last change is over. */
  async #show(question: Question): Promise<void> {
    if (question.pause !== 'none') {
      question.pause = 'stale';
      return;
    }
    question.pause = 'fresh';
    const { startTimer = backgroundTimer } = this.#options;
    startTimer(UPDATE_INTERVAL_MS, () => {
      const isStale = question.pause === 'stale';
      question.pause = 'none';
      if (isStale) void this.#show(question);
    });
    const person = await this.#options.person();
    const before = question.shown;
    const approval = question.item === undefined ? undefined : approvalOf(question);
    if (question.item === undefined || approval === undefined || question.shown === before) return;
    person?.inbox.update(question.item, approval);
  }

  /** Asks until no call waits: \`once\` lets exactly one of equal calls through. */
  async #ask(question: Question): Promise<void> {
    for (;;) {
      const asked = firstOf(question);
      if (asked === undefined) return void this.#questions.delete(question.tool);
      const { signal } = (question.stop = new AbortController());
      try {
        const outcome = await this.#outcome(question, asked, signal);
        // A press in a window that was being withdrawn means no call that came after it.
        if (!signal.aborted) await this.#apply(question, outcome);
      } catch (error) {
        asked.ctx.log.error('the person could not be asked', { error: messageOf(error) });
        settleAll(question, { kind: 'unanswered', why: 'unreachable' });
      }
    }
  }

  async #outcome(question: Question, asked: Asked, signal: AbortSignal): Promise<PopupOutcome> {
    const person = await this.#options.person();
    const approval = approvalOf(question);
    if (person === undefined || approval === undefined) return { kind: 'no-display', tried: [] };
    const desktop = await person.personsDesktop();
    const caller = callerFor(asked, signal, desktop);
    question.item = caller.item.id;
    return person.inbox
      .ask(requestFor(asked, person.theme, approval), caller)
      .finally(() => (question.item = undefined));
  }

  async #apply(question: Question, outcome: PopupOutcome): Promise<void> {
    const { tool } = question;
    switch (outcome.kind) {
      case 'allowed':
        return this.#allow(question, namedIn(question, outcome.ids), outcome.scope);
      case 'denied': {
        const named = namedIn(question, outcome.ids);
        if (named.length === 0) return;
        const decision = { kind: 'denied', reason: outcome.text } as const;
        const denials = (this.#tools.get(tool)?.denials ?? 0) + 1;
        const isFinal = question.hasSession && denials >= MAX_DENIALS;
        if (question.hasSession) this.#note(tool, { denials, decision: isFinal ? decision : undefined });
        for (const group of named) settle(question, group, decision);
        if (isFinal) settleAll(question, decision);
        return;
      }
      case 'timeout':
      case 'dismissed':
        for (const group of shownIn(question))
          settle(question, group, { kind: 'unanswered', why: outcome.kind });
        return;
      default:
        settleAll(question, { kind: 'unanswered', why: 'unreachable' });
    }
  }

  /** @param named the calls that the person has seen and means */
  async #allow(question: Question, named: readonly Group[], scope: Scope): Promise<void> {
    if (named.length === 0) return;
    const { tool } = question;
    if (scope === 'session') {
      this.#note(tool, { denials: 0, decision: ALLOWED });
      return settleAll(question, ALLOWED);
    }
    for (const group of named) {
      const [first] = group.waiters;
      if (first === undefined) continue;
      if (scope === 'always') {
        const isExact = isDestructive(first.asked.tool);
        if (await this.#remember(first.asked, group.decided, isExact)) {
          if (!isExact) return settleAll(question, ALLOWED);
          settle(question, group, ALLOWED);
          continue;
        }
      }
      // The caller may have gone meanwhile: then the next equal call is the one.
      const [next] = group.waiters;
      if (next === undefined) continue;
      take(question, group, next);
      next.resolve(ALLOWED);
    }
  }

  #note(tool: string, memory: ToolMemory): void {
    this.#tools.delete(tool);
    this.#tools.set(tool, memory);
    const [oldest] = this.#tools.keys();
    if (this.#tools.size > MAX_TOOLS && oldest !== undefined) this.#tools.delete(oldest);
  }

  /** @returns false if it cannot be stored: then the yes counts once */
  async #remember({ ctx }: Asked, decided: Decided, isExact: boolean): Promise<boolean> {
    const { arguments: args, token, ...rest } = decided;
    try {
      await this.#options.rules.add({
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
}

function groupOf({ args = {} }: Asked, decided: Decided): Group {
  return { id: randomUUID(), decided, argumentCharacters: JSON.stringify(args).length, waiters: new Set() };
}

function shownIn({ groups }: Question): readonly Group[] {
  let left = MAX_SHOWN_CHARACTERS;
  return [...groups.values()].slice(0, MAX_GROUPS).filter(({ argumentCharacters }, index) => {
    left -= argumentCharacters;
    return index === 0 || left >= 0;
  });
}

/** What the window shows from now on. @returns undefined if nothing waits */
function approvalOf(question: Question): Approval | undefined {
  const groups = shownIn(question);
  question.shown = groups.map(({ id, waiters }) => `${id} ${waiters.size}`).join(',');
  const [first, ...others] = groups.flatMap(({ id, waiters }) => {
    const [waiter] = waiters;
    return waiter === undefined ? [] : [{ id, asked: waiter.asked, count: waiters.size }];
  });
  // What ends by itself comes first.
  return first && approvalFor(first, others, question.hasSession);
}

function firstOf(question: Question): Asked | undefined {
  const [group] = question.groups.values();
  const [waiter] = group?.waiters ?? [];
  return waiter?.asked;
}

/** @param ids without them an answer is about nothing */
function namedIn({ groups }: Question, ids: readonly string[] = []): readonly Group[] {
  return [...groups.values()].filter(({ id }) => ids.includes(id));
}

/** A call no longer waits. Without another one the window is withdrawn. */
function take({ groups, stop }: Question, { waiters, decided }: Group, waiter: Waiter): void {
  waiters.delete(waiter);
  if (waiters.size === 0) groups.delete(decided.arguments);
  if (groups.size === 0) stop.abort();
}

/** Decides on all equal calls. */
function settle(question: Question, group: Group, decision: Decision): void {
  for (const waiter of group.waiters) {
    take(question, group, waiter);
    waiter.resolve(decision);
  }
}

function settleAll(question: Question, decision: Decision): void {
  for (const group of question.groups.values()) settle(question, group, decision);
}

function decidedOf({ mount, tool, args, ctx }: Asked, definition: string): Decided {
  const { user, token } = ctx.principal;
  const { transport } = ctx;
  return {
    mount,
    tool: tool.name,
    definition,
    user,
    transport,
    token,
    /** Digested if a rule asks for it: most calls meet no rule. */
    get arguments() {
      return digestOf(args ?? {});
    },
  };
}

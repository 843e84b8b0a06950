import { randomUUID } from 'node:crypto';
import type { Log } from '@deskside/core';
import { type Approval, type ApprovalCall, digestOf, type PopupOutcome, type Scope } from '@deskside/desktop';
import { getOrAdd } from '@deskside/core/base';
import { messageOf } from '@deskside/core/errors';
import { backgroundTimer, type StartTimer } from '../mounts/timer.ts';
import { approvalFor, argumentsOf, type Asked, callerFor, type Person, requestFor } from './question.ts';
import type { Decided, RuleStore } from './rule-store.ts';
import { denied, notApproved, ownNews, type CallRefusal } from './texts.ts';
import { isDestructive } from './words.ts';

/** What became of one call: it may run, or its caller gets the refusal. */
export type Decision = 'allowed' | CallRefusal;

interface Waiter {
  readonly asked: Asked;
  readonly resolve: (decision: Decision) => void;
}

/** Equal calls. */
interface Group {
  /** Names it in the window. A later group of equal calls has another one: no earlier answer is for it. */
  readonly id: string;
  readonly decided: Decided;
  readonly arguments: ApprovalCall['arguments'];
  readonly waiters: Set<Waiter>;
}

/** After so many denials a tool is denied for the conversation. */
const MAX_DENIALS = 2;
/** Between two changes of what a window shows: an agent can make and cancel calls without end. */
const UPDATE_INTERVAL_MS = 100;
/** What one window shows. Further calls follow in the next one. */
const MAX_GROUPS = 20;

/** Of one connection: nobody decides on more, and what waits is kept in memory. */
const MAX_WAITING_CALLS = 500;
const MAX_WAITING_CHARACTERS = 10_000_000;

export interface DecidingOptions {
  readonly rules: Pick<RuleStore, 'find' | 'add'>;
  /** Undefined if nothing can ask the person. */
  readonly person: () => Promise<Person | undefined>;
  readonly startTimer?: StartTimer;
}

/** Asks the person about calls, and knows what they have decided for a conversation until this process ends. */
export class Deciding {
  readonly #options: DecidingOptions;
  /** Those that wait, and those that the person has decided on: no agent makes more of them. */
  readonly #questions = new Map<string, Question>();
  /** The sizes of the calls that wait, by connection. */
  readonly #waiting = new Map<string, { calls: number; characters: number }>();

  constructor(options: DecidingOptions) {
    this.#options = options;
  }

  /** @throws the reason of the signal if the caller gives up */
  async decide(asked: Asked, decided: Decided): Promise<Decision> {
    const { signal, caller } = asked.ctx;
    signal.throwIfAborted();
    // A client names its conversation: two connections never share one.
    const { mount, tool, definition, user, token = null } = decided;
    const key = digestOf([caller.connection, caller.session, user, token, mount, tool, definition]);
    const hasSession = caller.session !== undefined;
    const forget = () => this.#questions.delete(key);
    const question = this.#questions.get(key) ?? new Question(this.#options, hasSession, forget);
    const waiting = getOrAdd(this.#waiting, caller.connection, () => ({ calls: 0, characters: 0 }));
    if (waiting.calls >= MAX_WAITING_CALLS || waiting.characters > MAX_WAITING_CHARACTERS)
      return notApproved('crowded');
    const given = argumentsOf(asked.args);
    const characters = given.reduce((sum, { value }) => sum + value.length, 0);
    waiting.calls += 1;
    waiting.characters += characters;
    this.#questions.set(key, question);
    return question.join(asked, decided, given).finally(() => {
      waiting.calls -= 1;
      waiting.characters -= characters;
      if (waiting.calls === 0) this.#waiting.delete(caller.connection);
    });
  }
}

/** All calls of a tool in one conversation. Those that wait share a window. */
class Question {
  readonly #options: DecidingOptions;
  readonly #hasSession: boolean;
  readonly #forget: () => void;
  /** By the digest of their arguments, the earliest first. None is empty. */
  readonly #groups = new Map<string, Group>();
  #denials = 0;
  /** The answer to all further calls. */
  #decision: Decision | undefined;
  #isAsking = false;
  /** Withdraws the window that is open. */
  #stop = new AbortController();
  /** The item in the inbox. */
  #item: string | undefined;
  /** What the window shows, by ids. */
  #shown = '';
  #isUpdateDue = false;

  /**
   * @param hasSession whether the person can decide for the conversation
   * @param forget called when nothing waits, and nothing is remembered
   */
  constructor(options: DecidingOptions, hasSession: boolean, forget: () => void) {
    this.#options = options;
    this.#hasSession = hasSession;
    this.#forget = forget;
  }

  /** @param given the arguments as the person sees them */
  async join(asked: Asked, decided: Decided, given: Group['arguments']): Promise<Decision> {
    if (this.#decision !== undefined) return this.#decision;
    const created = () => ({ id: randomUUID(), decided, arguments: given, waiters: new Set<Waiter>() });
    const group = getOrAdd(this.#groups, decided.arguments, created);
    const { promise, resolve, reject } = Promise.withResolvers<Decision>();
    const waiter = { asked, resolve };
    group.waiters.add(waiter);
    const { signal } = asked.ctx;
    const leave = () => {
      reject(signal.reason);
      this.#settle(group, waiter);
      this.#updateLater();
    };
    signal.addEventListener('abort', leave, { once: true });
    if (this.#isAsking) this.#updateLater();
    else void this.#ask();
    return promise.finally(() => signal.removeEventListener('abort', leave));
  }

  #updateLater(): void {
    if (this.#isUpdateDue) return;
    this.#isUpdateDue = true;
    const { startTimer = backgroundTimer, person } = this.#options;
    startTimer(UPDATE_INTERVAL_MS, () => {
      this.#isUpdateDue = false;
      const before = this.#shown;
      const [item, approval] = [this.#item, this.#approval()];
      if (item === undefined || approval === undefined || this.#shown === before) return;
      void person().then((asked) => asked?.inbox.update(item, approval));
    });
  }

  /** Asks until no call waits: `once` lets exactly one of equal calls through. */
  async #ask(): Promise<void> {
    this.#isAsking = true;
    for (let asked = this.#first(); asked !== undefined; asked = this.#first()) {
      const { signal } = (this.#stop = new AbortController());
      try {
        const outcome = await this.#outcome(asked, signal);
        // A press in a window that was being withdrawn means no call that came after it.
        if (!signal.aborted) await this.#apply(outcome);
      } catch (error) {
        asked.ctx.log.error('the person could not be asked', { error: messageOf(error) });
        this.#settleAll(notApproved('unreachable'));
      }
    }
    this.#isAsking = false;
    if (!this.#hasSession || (this.#denials === 0 && this.#decision === undefined)) this.#forget();
  }

  async #outcome(asked: Asked, signal: AbortSignal): Promise<PopupOutcome> {
    const person = await this.#options.person();
    const desktop = await person?.personsDesktop();
    const approval = this.#approval();
    if (person === undefined || desktop === undefined || approval === undefined)
      return { kind: 'no-display', tried: [] };
    const caller = callerFor(asked, signal, desktop);
    this.#item = caller.item.id;
    return person.inbox
      .ask(requestFor(asked, person.theme, approval), caller)
      .finally(() => (this.#item = undefined));
  }

  async #apply(outcome: PopupOutcome): Promise<void> {
    switch (outcome.kind) {
      case 'allowed':
        return this.#allow(this.#named(outcome.ids), outcome.scope);
      case 'denied':
        return this.#deny(this.#named(outcome.ids), (tool) => denied(tool, outcome.text));
      case 'timeout':
      case 'dismissed':
        for (const group of this.#inWindow()) this.#settleGroup(group, notApproved(outcome.kind));
        return;
      default:
        this.#settleAll(notApproved('unreachable'));
    }
  }

  #deny(named: readonly Group[], decision: CallRefusal): void {
    if (named.length === 0) return;
    this.#denials += 1;
    for (const group of named) this.#settleGroup(group, decision);
    if (!this.#hasSession || this.#denials < MAX_DENIALS) return;
    this.#decision = decision;
    this.#settleAll(decision);
  }

  /** @param named the calls that the person has seen and means */
  async #allow(named: readonly Group[], scope: Scope): Promise<void> {
    if (named.length > 0 && scope === 'session') {
      this.#decision = 'allowed';
      return this.#settleAll('allowed');
    }
    let isStored = scope === 'always';
    for (const group of named) {
      const [first] = group.waiters;
      if (first === undefined) continue;
      const isExact = isDestructive(first.asked.tool);
      isStored &&= await this.#remember(first.asked, group.decided, isExact);
      if (isStored) {
        if (!isExact) return this.#settleAll('allowed');
        this.#settleGroup(group, 'allowed');
      }
      // The caller may have gone meanwhile: then the next equal call is the one.
      else for (const waiter of [...group.waiters].slice(0, 1)) this.#settle(group, waiter, 'allowed');
    }
  }

  /** @returns false if it cannot be stored: then the yes counts once, and the person is told */
  async #remember({ ctx: { log } }: Asked, decided: Decided, isExact: boolean): Promise<boolean> {
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
      const reason = messageOf(error);
      log.error('the approval cannot be remembered', { error: reason });
      const what = `"Always" for ${decided.mount} › ${decided.tool} counted once`;
      void this.#tell(`${what}: it could not be stored. ${reason}`, log).catch((failed: unknown) =>
        log.debug('person not told', { error: failed }),
      );
      return false;
    }
  }

  /** Stays on the screen if the call ends. */
  async #tell(text: string, log: Log): Promise<void> {
    const person = await this.#options.person();
    const { signal } = new AbortController();
    const caller = { session: undefined, signal, log, client: await person?.personsDesktop() };
    await person?.inbox.ask(ownNews(text, 'Deskside: not stored', person.theme), caller);
  }

  #inWindow(): readonly Group[] {
    return [...this.#groups.values()].slice(0, MAX_GROUPS);
  }

  /** What the window shows from now on. @returns undefined if nothing waits */
  #approval(): Approval | undefined {
    const groups = this.#inWindow();
    this.#shown = groups.map(({ id, waiters }) => `${id} ${waiters.size}`).join(',');
    const [first, ...others] = groups.flatMap(({ id, arguments: given, waiters }) => {
      const [waiter] = waiters;
      return waiter === undefined ? [] : [{ id, arguments: given, calls: waiters.size, asked: waiter.asked }];
    });
    // What ends by itself comes first.
    return first && approvalFor(first, others, this.#hasSession);
  }

  #first(): Asked | undefined {
    const [group] = this.#groups.values();
    const [waiter] = group?.waiters ?? [];
    return waiter?.asked;
  }

  /** @param ids without them an answer is about nothing */
  #named(ids: readonly string[] = []): readonly Group[] {
    return [...this.#groups.values()].filter(({ id }) => ids.includes(id));
  }

  /** A call no longer waits. Without another one the window is withdrawn. @param decision undefined if its caller is gone */
  #settle({ waiters, decided }: Group, waiter: Waiter, decision?: Decision): void {
    if (!waiters.delete(waiter)) return;
    if (waiters.size === 0) this.#groups.delete(decided.arguments);
    if (this.#groups.size === 0) this.#stop.abort();
    if (decision !== undefined) waiter.resolve(decision);
  }

  #settleGroup(group: Group, decision: Decision): void {
    for (const waiter of group.waiters) this.#settle(group, waiter, decision);
  }

  #settleAll(decision: Decision): void {
    for (const group of this.#groups.values()) this.#settleGroup(group, decision);
  }
}

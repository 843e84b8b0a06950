import type { StoredTokens } from '@deskside/core/base';
import { CallCounter } from './call-counts.ts';
import { add, type Addition, complete, remove, reopen, restore, update } from './changes.ts';
import { claim, release } from './claims.ts';
import type { Outcome } from './records.ts';
import { get, list, readAudit } from './reading.ts';
import type { Operation } from './statements.ts';
import {
  type Audit,
  type CallerContext,
  type ClaimHolder,
  type ClaimOutcome,
  type ClaimRequest,
  IdempotencyConflict,
  type NewTask,
  type RejectionReason,
  type Task,
  type TaskChanges,
  type TaskPage,
  type TaskQuery,
  type TaskStore,
} from './task-store.ts';
import { addCounts, storedTokens } from './upkeep.ts';

/** Starts the operation; a call that is repeated starts it again. */
export type Work<T> = () => Operation<T>;

/** Who calls, for the rights in the database, and whether the call is still wanted. */
export type Caller = Pick<CallerContext, 'user' | 'actor' | 'signal'>;

/** Work that no call waits for has no caller. */
const NOBODY: Caller = { user: '', actor: '' };

/** A database that runs operations, each in one transaction. */
export interface Driver extends AsyncDisposable {
  prepare(): Promise<readonly string[]>;
  read<T>(caller: Caller, work: Work<T>): Promise<T>;
  change<T>(caller: Caller, work: Work<T>): Promise<T>;
  /** Tasks that wait for nothing: additions of one user that wait together are made together. */
  add(addition: Addition): Promise<readonly Task[]>;
  /** A change without a waiting caller, which closing the database still makes. */
  background<T>(work: Work<T>): Promise<T>;
  /** Texts of a user were removed so that nothing restores them. */
  forgotten(): void;
  watch(user: string, changed: (taskId?: number) => void): () => void;
}

/** A TaskStore in a database of SQL. What the calls do is the same in all of them. See docs/decisions/0043. */
export class SqlTaskStore implements TaskStore {
  readonly tokens: StoredTokens;
  readonly #driver: Driver;
  readonly #now: () => Date;
  readonly #counter: CallCounter;
  #closed: Promise<void> | undefined;

  constructor(driver: Driver, now: () => Date) {
    this.#driver = driver;
    this.#now = now;
    this.#counter = new CallCounter((counts) => driver.background(() => addCounts(counts)));
    this.tokens = storedTokens(
      (work, kind) => (kind === 'background' ? driver.background(work) : driver[kind](NOBODY, work)),
      now,
    );
  }

  prepare(): Promise<readonly string[]> {
    return this.#driver.prepare();
  }

  async add(caller: CallerContext, task: NewTask, idempotencyKey?: string): Promise<Task> {
    const [added] = await this.#add(caller, [task], idempotencyKey);
    if (added === undefined) throw new IdempotencyConflict();
    return added;
  }

  async addAll(caller: CallerContext, all: readonly NewTask[]): Promise<readonly Task[]> {
    return all.length === 0 ? [] : this.#add(caller, all);
  }

  list(caller: CallerContext, query: TaskQuery): Promise<TaskPage> {
    return this.#read(caller, () => list(caller.user, query));
  }

  async get(caller: CallerContext, id: number): Promise<Task | undefined> {
    if (!isId(id)) return this.#noTask(caller);
    return this.#read(caller, () => get(caller.user, id));
  }

  complete(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#changeTask(caller, id, (now) => complete({ caller, now }, id));
  }

  reopen(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#changeTask(caller, id, (now) => reopen({ caller, now }, id));
  }

  remove(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#changeTask(caller, id, (now) => remove({ caller, now }, id, false));
  }

  async removeForGood(caller: CallerContext, id: number): Promise<Task | undefined> {
    const removed = await this.#changeTask(caller, id, (now) => remove({ caller, now }, id, true));
    if (removed !== undefined) this.#driver.forgotten();
    return removed;
  }

  restore(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#changeTask(caller, id, (now) => restore({ caller, now }, id));
  }

  update(caller: CallerContext, id: number, changes: TaskChanges): Promise<Task | undefined> {
    return this.#changeTask(caller, id, (now) => update({ caller, now }, id, changes));
  }

  claim(caller: CallerContext, request: ClaimRequest): Promise<ClaimOutcome | undefined> {
    return this.#changeTask(caller, request.id ?? 0, (now) => claim({ caller, now }, request));
  }

  release(caller: CallerContext, id: number, holder: ClaimHolder): Promise<ClaimOutcome | undefined> {
    return this.#changeTask(caller, id, (now) => release({ caller, now }, id, holder));
  }

  async readAudit(caller: CallerContext, limit: number): Promise<Audit> {
    await this.#counter.flush();
    const self = { ...caller, actor: caller.user };
    return this.#driver.read(self, () => readAudit(caller.user, limit));
  }

  recordRejection(caller: CallerContext, reason: RejectionReason): void {
    this.#count(caller, reason);
  }

  watch(user: string, changed: (taskId?: number) => void): () => void {
    return this.#driver.watch(user, changed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async #close(): Promise<void> {
    const counted = this.#counter[Symbol.asyncDispose]();
    await this.#driver[Symbol.asyncDispose]();
    await counted;
  }

  async #add(caller: CallerContext, tasks: readonly NewTask[], key?: string): Promise<readonly Task[]> {
    const addition = { caller, tasks, now: this.#now() };
    const isAlone =
      key !== undefined ||
      tasks.some(({ after = [], afterAdded = [] }) => after.length + afterAdded.length > 0);
    if (!isAlone) return this.#driver.add(addition);
    const added = await this.#driver.change(caller, () => add(addition, key));
    if (added === undefined) this.#count(caller, 'invalid');
    return added ?? [];
  }

  /** A change that is refused has no row in the audit: it is counted. */
  async #changeTask<T extends Task | ClaimOutcome>(
    caller: CallerContext,
    id: number,
    work: (now: Date) => Operation<T | undefined>,
  ): Promise<T | undefined> {
    if (!isId(id)) return this.#noTask(caller);
    const now = this.#now();
    const done = await this.#driver.change(caller, () => work(now));
    if (done === undefined) this.#count(caller, 'task_not_found');
    else if ('kind' in done && done.kind !== 'done') this.#count(caller, 'not_claimed');
    return done;
  }

  async #read<T>(caller: CallerContext, work: Work<T>): Promise<T> {
    const found = await this.#driver.read(caller, work);
    this.#count(caller, found === undefined ? 'task_not_found' : 'ok');
    return found;
  }

  #noTask(caller: CallerContext): undefined {
    caller.signal?.throwIfAborted();
    this.#count(caller, 'task_not_found');
  }

  #count(caller: CallerContext, outcome: Outcome): void {
    this.#counter.count(caller, outcome, this.#now());
  }
}

/** Texts and numbers of any size can be asked for; the column has integers. */
function isId(id: number): boolean {
  return Number.isSafeInteger(id);
}

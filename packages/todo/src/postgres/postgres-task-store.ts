import type { StoredTokens } from '@deskside/core/base';
import type { Pool } from 'pg';
import { CallCounter } from '../store/call-counts.ts';
import { everyDay } from '../store/every-day.ts';
import { type AuditEntry, changedFields, digestOf, replayedTask, toTimestamp } from '../store/records.ts';
import {
  type Audit,
  type CallerContext,
  type ClaimHolder,
  type ClaimOutcome,
  type ClaimRequest,
  IdempotencyConflict,
  isCounted,
  type NewTask,
  type RejectionReason,
  StoreUnavailable,
  type Task,
  type TaskChanges,
  type TaskPage,
  type TaskQuery,
  type TaskStore,
} from '../store/task-store.ts';
import { localDate, recurrenceOf } from '../store/recurrence.ts';
import { MAX_LOOKED_UP_WORDS, READ_TASKS, WordSearch } from '../store/word-search.ts';
import { wordsOfTask } from '../store/words.ts';
import {
  type AuditAnswer,
  type ChangeAnswer,
  changedColumns,
  columnsOf,
  isId,
  requireOrder,
  taskOf,
  type TaskRow,
  toClaimOutcome,
  toTask,
} from './answers.ts';
import { before, callFunction, DEFAULT_WAIT_MS, type FunctionCall, openPool } from './connection.ts';
import { Listener, processOf } from './listener.ts';
import { prepareDatabase } from './prepare.ts';
import { postgresTokens } from './tokens.ts';
import { UserQueues } from './user-queues.ts';

export interface PostgresTaskStoreOptions {
  /** `postgres://…` of the role that serves the calls. */
  readonly url: string;
  /** `postgres://…` of a role that may create and change the tables. Default: `url`. */
  readonly migrationUrl?: string | undefined;
  /** How many connections at most, besides one while somebody subscribes. Default 10. */
  readonly connections?: number | undefined;
  readonly now?: () => Date;
  /** How long a call takes at most, before it rejects with StoreBusy or StoreUnavailable. Default 5000. */
  readonly waitMs?: number;
}

const STILL_PREPARING = 'The task database does not answer, or is being migrated';

/** How much longer an import may take, per task. */
const ADD_MS = 5;

/** One call of `change`: what changes, with the arguments of its function. */
interface Change {
  readonly change: 'add' | 'complete' | 'update' | 'remove' | 'restore' | 'claim' | 'release';
  /** Absent if it can't have one. */
  readonly id?: number | undefined;
  readonly [argument: string]: unknown;
}

/**
 * A TaskStore in a PostgreSQL database that any number of processes share. The first call connects, and creates or
 * migrates the tables if necessary; if that fails, the next call tries again. Each call is one function of the database.
 */
export class PostgresTaskStore implements TaskStore {
  readonly tokens: StoredTokens = postgresTokens((name, args) =>
    this.#call({ name, args, isChange: false, deadlineMs: this.#deadline() }),
  );
  readonly #options: PostgresTaskStoreOptions;
  readonly #now: () => Date;
  readonly #pool: Pool;
  readonly #waitMs: number;
  readonly #queues: UserQueues<Change, ChangeAnswer>;
  readonly #counter: CallCounter;
  readonly #listener: Listener;
  #prepared: Promise<readonly string[]> | undefined;
  #purging: NodeJS.Timeout | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: PostgresTaskStoreOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => new Date());
    this.#waitMs = options.waitMs ?? DEFAULT_WAIT_MS;
    this.#pool = openPool(options.url, options.connections);
    const own = new Set<number>();
    // What the own calls change is announced at once.
    this.#pool.on('connect', (client) => own.add(processOf(client)));
    this.#pool.on('remove', (client) => own.delete(processOf(client)));
    this.#listener = new Listener(options.url, own);
    this.#queues = new UserQueues((user, changes, deadlineMs) =>
      this.#call({ name: 'change', args: [user, changes], isChange: true, deadlineMs }),
    );
    this.#counter = new CallCounter(async (counts) => {
      await this.#call({ name: 'add_counts', args: [counts], isChange: false, deadlineMs: this.#deadline() });
    });
  }

  /** Once, for all calls that wait for it; again after a failure. */
  async prepare(): Promise<readonly string[]> {
    this.#prepared ??= this.#prepare();
    try {
      return await this.#prepared;
    } catch (error) {
      this.#prepared = undefined;
      throw error;
    }
  }

  async add(caller: CallerContext, task: NewTask, idempotencyKey?: string): Promise<Task> {
    const key = idempotencyKey === undefined ? {} : { key: idempotencyKey, digest: digestOf(task) };
    const [added] = await this.#add(caller, [task], key);
    if (added === undefined) throw new IdempotencyConflict();
    return added;
  }

  async addAll(caller: CallerContext, all: readonly NewTask[]): Promise<readonly Task[]> {
    return all.length === 0 ? [] : this.#add(caller, all, {});
  }

  async list(caller: CallerContext, query: TaskQuery): Promise<TaskPage> {
    const { words, ready, project, ...rest } = query;
    const filter = {
      status: rest.status,
      limit: rest.limit,
      after_id: rest.afterId,
      due_by: rest.dueBy,
      of_project: project,
      ...(ready === true ? { ready } : {}),
      ...(isCounted(query) ? { counted: true } : {}),
    };
    if (words !== undefined) return this.#search(caller, query, words, filter);
    const { tasks, remaining } = await this.#read<{ tasks: TaskRow[]; remaining: number }>(
      caller,
      'list',
      filter,
    );
    this.#count(caller, 'ok');
    return { tasks: tasks.map(toTask), remaining };
  }

  async get(caller: CallerContext, id: number): Promise<Task | undefined> {
    const row = isId(id) ? await this.#read<TaskRow | null>(caller, 'get', { id }) : null;
    this.#count(caller, row === null ? 'task_not_found' : 'ok');
    return row === null ? undefined : toTask(row);
  }

  async complete(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#changeTask(caller, { change: 'complete', id, completed: true }, (task) => {
      // A recurring task: its next date must fit to what was read.
      const { due_date, every } = task;
      const next = recurrenceOf(toTask(task), localDate(this.#now()));
      const created_at = this.#now().toISOString();
      return {
        old: { due_date, every },
        next: next && { due_date: next.dueDate, every: next.every, created_at },
      };
    });
  }

  async reopen(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#changeTask(caller, { change: 'complete', id, completed: false });
  }

  async remove(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#changeTask(caller, { change: 'remove', id, forever: false });
  }

  async removeForGood(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#changeTask(caller, { change: 'remove', id, forever: true });
  }

  async restore(caller: CallerContext, id: number): Promise<Task | undefined> {
    return this.#changeTask(caller, { change: 'restore', id });
  }

  async update(caller: CallerContext, id: number, changes: TaskChanges): Promise<Task | undefined> {
    const deadlineMs = this.#deadline();
    const { title, description } = changes;
    const set = changedColumns(changes);
    const request = {
      change: 'update',
      id,
      set,
      changed: changedFields(changes).join(',') || undefined,
    } as const;
    if (title === undefined && description === undefined) return this.#changeTask(caller, request);
    // The words depend on both texts. If one of them stays, it must still be the one that was read.
    const textsOf = (task: Pick<Task, 'title' | 'description'>) => ({
      words: wordsOfTask({
        title: title ?? task.title,
        description: description === undefined ? task.description : description,
      }),
      old: {
        ...(title === undefined ? { title: task.title } : {}),
        ...(description === undefined ? { description: task.description } : {}),
      },
    });
    const task =
      title === undefined || description === undefined
        ? await this.#taskBefore(caller, id, deadlineMs)
        : { title, description };
    // No task has this title: one that was restored meanwhile is answered unchanged, with its texts.
    const texts = task === undefined ? { old: { title: null } } : textsOf(task);
    return this.#changeTask(caller, { ...request, ...texts }, textsOf, deadlineMs);
  }

  async claim(
    caller: CallerContext,
    { id, holder, leaseMs }: ClaimRequest,
  ): Promise<ClaimOutcome | undefined> {
    const { key, label, project } = holder;
    const request = { change: 'claim', holder: key, label, project, lease_ms: leaseMs } as const;
    return toClaimOutcome(await this.#change(caller, id === undefined ? request : { ...request, id }));
  }

  async release(caller: CallerContext, id: number, { key }: ClaimHolder): Promise<ClaimOutcome | undefined> {
    return toClaimOutcome(await this.#change(caller, { change: 'release', id, holder: key }));
  }

  async readAudit(caller: CallerContext, limit: number): Promise<Audit> {
    await this.#counter.flush();
    const { changes, counts } = await this.#read<AuditAnswer>(caller, 'read_audit', { limit });
    return {
      changes: changes.map(({ at, actor, user_id: user, tool, outcome, task_id: taskId, changed }) => {
        return { at: toTimestamp(new Date(at)), actor, user, tool, outcome, taskId, changed };
      }),
      counts,
    };
  }

  recordRejection(caller: CallerContext, reason: RejectionReason): void {
    this.#count(caller, reason);
  }

  watch(user: string, changed: (taskId?: number) => void): () => void {
    return this.#listener.watch(user, changed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async #prepare(): Promise<readonly string[]> {
    const problems = await prepareDatabase(this.#pool, this.#options);
    this.#purging ??= everyDay(this.#now, () => void this.#purge());
    return problems;
  }

  /** Removes what can no longer be restored, and keys that no longer replay, of all users: old on this clock and the database's. */
  async #purge(): Promise<void> {
    const deadlineMs = this.#deadline();
    // If it fails, the next day tries again.
    const args = [this.#now().toISOString()];
    await callFunction(this.#pool, { name: 'purge', args, isChange: false, deadlineMs }).catch(
      () => undefined,
    );
  }

  async #close(): Promise<void> {
    clearInterval(this.#purging);
    if (this.#prepared !== undefined) await this.#counter[Symbol.asyncDispose]();
    await this.#listener[Symbol.asyncDispose]();
    await this.#pool.end();
  }

  async #add(
    caller: CallerContext,
    all: readonly NewTask[],
    key: { readonly key?: string; readonly digest?: string },
  ): Promise<readonly Task[]> {
    const rows = all.map((task) => columnsOf(task, this.#now()));
    const after = [...new Set(all.flatMap((task) => task.after ?? []))];
    const deadlineMs = this.#deadline() + all.length * ADD_MS;
    const answer = await this.#change(caller, { change: 'add', tasks: rows, after, ...key }, deadlineMs);
    requireOrder(answer);
    const { used, last_id: lastId = 0 } = answer;
    const [first] = all;
    if (used !== undefined && first !== undefined) {
      const replayed = replayedTask(first, { ...used, createdAt: new Date(used.createdAt) }).result;
      return replayed === undefined ? [] : [replayed];
    }
    return rows.map((row, index) => toTask({ ...row, id: lastId - rows.length + 1 + index, next_id: null }));
  }

  async #search(
    caller: CallerContext,
    query: TaskQuery,
    prefixes: readonly string[],
    filter: Readonly<Record<string, unknown>>,
  ): Promise<TaskPage> {
    const deadlineMs = this.#deadline();
    const search = new WordSearch(query, prefixes);
    const read = new Map<number, TaskRow>();
    do {
      // The first look finds out whether a word is rare; the others read older tasks.
      const isFirst = read.size === 0;
      const { tasks, is_last: isLast } = await this.#read<{ tasks: TaskRow[]; is_last: boolean }>(
        caller,
        'search',
        {
          ...filter,
          after_id: search.afterId,
          limit: READ_TASKS,
          max_words: MAX_LOOKED_UP_WORDS,
          prefixes: isFirst ? prefixes : [],
        },
        deadlineMs,
      );
      for (const task of tasks) read.set(task.id, task);
      search.add(tasks, isLast);
    } while (search.isOpen);
    this.#count(caller, 'ok');
    const { ids, ...rest } = search.result();
    return { tasks: ids.flatMap((id) => read.get(id) ?? []).map(toTask), ...rest };
  }

  async #taskBefore(caller: CallerContext, id: number, deadlineMs: number): Promise<TaskRow | undefined> {
    if (!isId(id)) return undefined;
    return (await this.#read<TaskRow | null>(caller, 'get', { id }, deadlineMs)) ?? undefined;
  }

  /**
   * @param known what only the program can tell about a task. A change that lacks what it needs, or that fits to an earlier
   * task, is answered with the task and changes nothing: then it is asked for again
   */
  async #changeTask(
    caller: CallerContext,
    change: Change,
    known?: (task: TaskRow) => Partial<Change>,
    deadlineMs = this.#deadline(),
  ): Promise<Task | undefined> {
    let request = change;
    for (;;) {
      const answer = await this.#change(caller, request, deadlineMs);
      requireOrder(answer, change.id);
      const { outcome, task } = answer;
      if (known === undefined || outcome !== undefined || task === undefined) return taskOf(answer);
      request = { ...change, ...known(task) };
    }
  }

  async #change(
    { signal, ...caller }: CallerContext,
    change: Change,
    deadlineMs = this.#deadline(),
  ): Promise<ChangeAnswer> {
    const { actor, user, tool } = caller;
    const at = this.#now();
    const request = { ...change, actor, tool, at: at.toISOString() };
    const answer: ChangeAnswer =
      change.id === undefined || isId(change.id)
        ? await this.#queues.run(user, request, deadlineMs, signal)
        : { outcome: 'task_not_found' };
    if (answer.outcome !== undefined && answer.outcome !== 'ok')
      this.#counter.count(caller, answer.outcome, at);
    return answer;
  }

  async #read<T>(
    { user, signal }: CallerContext,
    name: string,
    query: Readonly<Record<string, unknown>>,
    deadlineMs = this.#deadline(),
  ): Promise<T> {
    return this.#call({ name, args: [user, query], isChange: false, deadlineMs, signal });
  }

  #count(caller: CallerContext, outcome: AuditEntry['outcome']): void {
    this.#counter.count(caller, outcome, this.#now());
  }

  #deadline(): number {
    return performance.now() + this.#waitMs;
  }

  async #call<T>(call: FunctionCall): Promise<T> {
    if (this.#closed !== undefined && call.name !== 'add_counts')
      throw new StoreUnavailable('The task store is closed');
    await before(call.deadlineMs, this.prepare(), () => new StoreUnavailable(STILL_PREPARING));
    return callFunction(this.#pool, call);
  }
}

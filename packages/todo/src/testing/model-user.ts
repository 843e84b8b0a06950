import { setTimeout } from 'node:timers/promises';
import { firstText, type Peer, randomOf } from '@deskside/testkit';

export interface ModelTask {
  readonly title: string;
  readonly completed: boolean;
}

/** What the database may say about a task after all calls. */
type Possible = readonly (ModelTask | 'absent')[];

type Outcome =
  | { readonly kind: 'done'; readonly answer: unknown }
  /** The server says that nothing was changed. */
  | { readonly kind: 'refused' }
  /** The connection broke: the change was made or not. */
  | { readonly kind: 'unknown' };

interface ListedTask extends ModelTask {
  readonly id: number;
}

/** A server answers within five seconds. The SDK of 2025 waits a minute for the answer of a stream that ended. */
const CALL_MS = 15_000;

/** A user who makes random calls one after the other and remembers what was acknowledged. */
export class ModelUser {
  readonly name: string;
  /** Problems that no failure of a server or a connection explains. */
  readonly faults: string[] = [];
  /** What came instead of an answer, or the error that it is. */
  readonly failures: string[] = [];
  acknowledged = 0;
  readonly #below: (limit: number) => number;
  readonly #tasks = new Map<number, Possible>();
  /** Titles of tasks that may exist. */
  readonly #unknownTitles = new Set<string>();
  #calls = 0;

  constructor(name: string, seed: number) {
    this.name = name;
    this.#below = randomOf(seed);
  }

  /** Makes one call. */
  async act(peer: Peer): Promise<void> {
    this.#calls += 1;
    const dice = this.#below(100);
    const ids = [...this.#tasks].flatMap(([id, states]) => (states.includes('absent') ? [] : [id]));
    const id = ids[this.#below(Math.max(1, ids.length))];
    if (id === undefined || dice < 40) return this.#add(peer);
    if (dice < 60) return this.#list(peer);
    if (dice < 75) return this.#change(peer, 'complete_task', id, (task) => ({ ...task, completed: true }));
    const title = `${this.name}: changed in call ${this.#calls}`;
    if (dice < 90) return this.#change(peer, 'update_task', id, (task) => ({ ...task, title }), { title });
    return this.#change(peer, 'delete_task', id, () => 'absent');
  }

  /** Compares the rows of the database with what was acknowledged. */
  check(rows: readonly ListedTask[]): readonly string[] {
    const found = new Map(rows.map((row) => [row.id, row]));
    const lost = [...this.#tasks].flatMap(([id, states]) => {
      const row = found.get(id);
      const isPossible = states.some((state) =>
        state === 'absent'
          ? row === undefined
          : row?.title === state.title && row.completed === state.completed,
      );
      return isPossible ? [] : [`task ${id} is ${JSON.stringify(row)}, not ${JSON.stringify(states)}`];
    });
    const titles = rows.map(({ title }) => title);
    const doubled = titles.filter((title, index) => titles.indexOf(title) !== index);
    const foreign = rows.filter(({ id, title }) => !this.#tasks.has(id) && !this.#unknownTitles.has(title));
    return [
      ...this.faults,
      ...lost,
      ...doubled.map((title) => `"${title}" is there twice`),
      ...foreign.map((row) => `unexpected: ${JSON.stringify(row)}`),
    ].map((fault) => `${this.name}: ${fault}`);
  }

  async #add(peer: Peer): Promise<void> {
    const title = `${this.name}: added in call ${this.#calls}`;
    const outcome = await this.#call(peer, 'add_task', { title });
    if (outcome.kind === 'unknown') this.#unknownTitles.add(title);
    if (outcome.kind !== 'done') return;
    const { task_id: id } = outcome.answer as { readonly task_id: number };
    if (this.#tasks.has(id)) this.faults.push(`id ${id} was given twice`);
    this.#tasks.set(id, [{ title, completed: false }]);
  }

  async #list(peer: Peer): Promise<void> {
    const outcome = await this.#call(peer, 'list_tasks', {});
    if (outcome.kind !== 'done') return;
    for (const { title } of outcome.answer as readonly ListedTask[]) {
      if (!title.startsWith(`${this.name}:`)) this.faults.push(`list_tasks showed "${title}"`);
    }
  }

  async #change(
    peer: Peer,
    tool: string,
    id: number,
    apply: (task: ModelTask) => ModelTask | 'absent',
    args: Record<string, unknown> = {},
  ): Promise<void> {
    const before = this.#tasks.get(id) ?? [];
    const after = before.map((task) => (task === 'absent' ? task : apply(task)));
    const outcome = await this.#call(peer, tool, { task_id: id, ...args });
    if (outcome.kind === 'done') this.#tasks.set(id, after);
    if (outcome.kind === 'unknown') this.#tasks.set(id, [...before, ...after]);
  }

  async #call(peer: Peer, tool: string, args: Record<string, unknown>): Promise<Outcome> {
    try {
      const late = setTimeout(CALL_MS, undefined, { ref: false }).then(() => {
        throw new Error('no answer');
      });
      const result = await Promise.race([peer.callTool(tool, { user_id: this.name, ...args }), late]);
      const answer: unknown = JSON.parse(firstText(result));
      if (result.isError !== true) {
        this.acknowledged += 1;
        return { kind: 'done', answer };
      }
      this.failures.push(`${tool}: ${firstText(result)}`);
      const { code, hint = '' } = answer as { readonly code?: string; readonly hint?: string };
      if (code !== 'UNAVAILABLE' && code !== 'BUSY') this.faults.push(`${tool}: ${firstText(result)}`);
      return { kind: hint.startsWith('Nothing was changed') ? 'refused' : 'unknown' };
    } catch (error) {
      // The proxy or the client reports a broken connection.
      this.failures.push(`${tool}: ${String(error)}`);
      return { kind: 'unknown' };
    }
  }
}

// A process for tests. It reads its task as one line of JSON, prints `ready`, and starts with the next line:
// - writer: adds `count` tasks in bursts, and prints each one after the store acknowledged it;
// - claimer: claims tasks, and prints the id of each one, until none is ready.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { postgresTaskStore } from '../postgres/postgres-task-store.ts';
import { sqliteTaskStore } from '../sqlite/sqlite-task-store.ts';
import { isPostgresUrl } from '../store/database-path.ts';
import type { TaskStore } from '../store/task-store.ts';

const BURST_TASKS = 5;
const CLAIM_MS = 3_600_000;

/** What a worker does. */
export interface WorkerTask {
  readonly role: 'writer' | 'claimer';
  /** Path of a file, or URL. */
  readonly database: string;
  readonly user: string;
  /** Begins the titles of a writer, and names a claimer. */
  readonly label: string;
  /** Of a writer. */
  readonly count?: number;
}

const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

const task: WorkerTask = JSON.parse(await nextLine());
printLine('ready');
await nextLine();
await using opened = isPostgresUrl(task.database)
  ? postgresTaskStore({ url: task.database })
  : sqliteTaskStore({ file: task.database });
if (task.role === 'writer') await write(opened, task);
else await claimAll(opened, task);

async function write(store: TaskStore, { user, label, count = 0 }: WorkerTask): Promise<void> {
  for (let start = 0; start < count; start += BURST_TASKS) {
    const numbers = Array.from({ length: Math.min(BURST_TASKS, count - start) }, (_, index) => start + index);
    await Promise.all(
      numbers.map(async (number) => {
        const caller = { actor: user, user, tool: 'add_task' };
        const added = await store.add(caller, { title: `${label} ${number}`, description: null });
        printLine(JSON.stringify({ user, id: added.id, title: added.title }));
      }),
    );
  }
}

async function claimAll(store: TaskStore, { user, label }: WorkerTask): Promise<void> {
  const caller = { actor: user, user, tool: 'claim_task' };
  for (;;) {
    const outcome = await store.claim(caller, { holder: { key: label, label }, leaseMs: CLAIM_MS });
    if (outcome?.kind !== 'done') return;
    printLine(String(outcome.task.id));
  }
}

/** Synchronous, so that a kill can't lose the line. */
function printLine(line: string): void {
  writeSync(1, `${line}\n`);
}

async function nextLine(): Promise<string> {
  const { value } = await input.next();
  return value ?? '';
}

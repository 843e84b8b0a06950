// A process for tests. It reads its task as one line of JSON, prints `ready`, and starts with the next line:
// - writer: adds `count` tasks in bursts, and prints each one after the store acknowledged it;
// - claimer: claims tasks of a file, and prints the id of each one, until none is ready;
// - client: does the same through servers, and goes on with the next one if its server is gone.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { sqliteTaskStore } from '../sqlite/sqlite-task-store.ts';
import { rawSession } from './raw-session.ts';

const BURST_TASKS = 5;
const CLAIM_MS = 3_600_000;

const claimAnswer = z.object({ task_id: z.int().optional(), code: z.string().optional() });

interface Writer {
  readonly role: 'writer';
  readonly file: string;
  readonly user: string;
  readonly label: string;
  readonly count: number;
}

interface Claimer {
  readonly role: 'claimer';
  readonly file: string;
  readonly user: string;
  readonly holder: string;
}

interface Client {
  readonly role: 'client';
  readonly urls: readonly string[];
  readonly token: string;
}

/** What a worker does. */
export type WorkerTask = Writer | Claimer | Client;

const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

const task: WorkerTask = JSON.parse(await nextLine());
printLine('ready');
await nextLine();
if (task.role === 'writer') await write(task);
else if (task.role === 'claimer') await claimAll(task);
else await claimThroughServers(task);

async function write({ file, user, label, count }: Writer): Promise<void> {
  await using store = sqliteTaskStore({ file });
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

async function claimAll({ file, user, holder: key }: Claimer): Promise<void> {
  await using store = sqliteTaskStore({ file });
  const caller = { actor: user, user, tool: 'claim_task' };
  for (;;) {
    const outcome = await store.claim(caller, { holder: { key, label: key }, leaseMs: CLAIM_MS });
    if (outcome?.kind !== 'done') return;
    printLine(String(outcome.task.id));
  }
}

async function claimThroughServers({ urls, token }: Client): Promise<void> {
  const failures: unknown[] = [];
  for (const url of urls) {
    try {
      await claimThrough(url, token);
      return;
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, 'No server answers');
}

/** @throws an error if the server is gone */
async function claimThrough(url: string, token: string): Promise<void> {
  const session = await rawSession(url, token);
  for (;;) {
    const text = await session.callTool('claim_task', { user_id: 'me', lease_minutes: 60 });
    const answer = claimAnswer.parse(JSON.parse(text));
    if (answer.code === 'NOT_FOUND') return;
    if (answer.task_id === undefined) throw new Error(text);
    printLine(String(answer.task_id));
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

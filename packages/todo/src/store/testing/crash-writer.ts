// Adds tasks in bursts for one user, until it has added `count` or is killed, and prints each that was
// acknowledged. It is told { file, user, label, count }, and then to start.
import { z } from 'zod';
import { openSqliteTaskStore } from '../sqlite-task-store.ts';
import { say, told } from './signal.ts';

const orders = z.object({ file: z.string(), user: z.string(), label: z.string(), count: z.int() });
const { file, user, label, count } = orders.parse(JSON.parse(await told()));
const burst = 5;

const store = openSqliteTaskStore({ file });
await import('../sqlite-engine.ts');
say('ready');
await told();
for (let start = 0; start < count; start += burst) {
  const numbers = Array.from({ length: Math.min(burst, count - start) }, (_, index) => start + index);
  await Promise.all(numbers.map((number) => add(`${label} ${number}`)));
}
await store[Symbol.asyncDispose]();

async function add(title: string): Promise<void> {
  const task = await store.add({ actor: user, user, tool: 'add_task' }, { title, description: null });
  say(JSON.stringify({ user, id: task.id, title: task.title }));
}

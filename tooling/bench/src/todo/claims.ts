import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryFolder } from '@deskside/core/testing';
import { connectInProcess, LEGS, type Peer } from '@deskside/testkit';
import { openTodo, todoServer } from '@deskside/todo';
import type { Figures } from '../benchmark.ts';

const AGENTS = 8;
const TASKS = 40;

/** An agent that reads an answer, and one that works. */
const THINKING_MS = 5;
const WORKING_MS = 20;

const TITLE = `tasks of ${TASKS} that ${AGENTS} agents do more than once`;
const me = { user_id: 'me' };

/** Agents that share a list: how many of its tasks are done more than once, by the way in which they choose. */
export async function measureClaims(): Promise<Figures> {
  return {
    numbers: {},
    ratios: [
      { title: `${TITLE}: list_tasks, then complete_task`, value: await race(nextOfList) },
      { title: `${TITLE}: claim_task, then complete_task`, value: await race(claim), target: { atMost: 0 } },
    ],
  };
}

type Choose = (peer: Peer) => Promise<number | undefined>;

async function race(choose: Choose): Promise<number> {
  using folder = temporaryFolder();
  await using todo = openTodo({ database: join(folder.path, 'todo.sqlite') });
  await using first = await connectInProcess(todoServer(todo), LEGS[2]);
  for (let number = 1; number <= TASKS; number += 1) {
    await first.callTool('add_task', { ...me, title: `Task ${number}` });
  }
  const done = new Map<number, number>();
  await Promise.all(
    Array.from({ length: AGENTS }, async () => {
      await using peer = await connectInProcess(todoServer(todo), LEGS[2]);
      for (let id = await choose(peer); id !== undefined; id = await choose(peer)) {
        await delay(WORKING_MS);
        done.set(id, (done.get(id) ?? 0) + 1);
        await peer.callTool('complete_task', { ...me, task_id: id });
      }
    }),
  );
  if (done.size !== TASKS) throw new Error(`${done.size} of ${TASKS} tasks were done.`);
  return [...done.values()].filter((times) => times > 1).length;
}

async function nextOfList(peer: Peer): Promise<number | undefined> {
  const tasks = answerOf(await peer.callTool('list_tasks', { ...me, status: 'pending' }));
  await delay(THINKING_MS);
  return Array.isArray(tasks) ? tasks.at(-1)?.id : undefined;
}

async function claim(peer: Peer): Promise<number | undefined> {
  const claimed = answerOf(await peer.callTool('claim_task', me));
  await delay(THINKING_MS);
  return claimed.task_id;
}

function answerOf({ content }: Awaited<ReturnType<Peer['callTool']>>) {
  const [block] = content;
  return block?.type === 'text' ? JSON.parse(block.text) : undefined;
}

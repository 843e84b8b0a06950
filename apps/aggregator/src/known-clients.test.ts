import { defineServer, toolDefiner } from '@deskside/core';
import { KNOWN_CLIENTS } from '@deskside/core/desk';
import { connectInProcess, firstText } from '@deskside/testkit';
import { openTodo, todoServer } from '@deskside/todo';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { createAggregator } from './aggregator.ts';

const sample = defineServer({
  name: 'sample',
  version: '1.0.0',
  deps: undefined,
  tools: [
    toolDefiner<undefined>()({
      name: 'who',
      title: 'Sample',
      description: 'A sample tool',
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      input: z.object({}),
      run: (_, __, { caller }) => caller.label(),
    }),
  ],
});

/** What Gemini CLI does to a result before its model reads it. */
function readTextAsObject(result: Record<string, unknown>): Record<string, unknown> {
  const [first] = (result['content'] ?? []) as readonly { readonly text?: string }[];
  if (first?.text === undefined || result['structuredContent'] !== undefined) return result;
  try {
    return { ...result, structuredContent: JSON.parse(first.text) };
  } catch {
    return result;
  }
}

/** Clients that a bench has measured, with the names that they had. */
const clients = KNOWN_CLIENTS.flatMap(({ title, name, version, readsTextAsObject, servedEra }) =>
  name === undefined || version === undefined
    ? []
    : (servedEra === undefined ? (['legacy', 'modern'] as const) : [servedEra]).map((era) => ({
        title,
        name: name.source.replaceAll(/[\\^$]/g, ''),
        version,
        readsTextAsObject,
        era,
      })),
);

test('the clients are found', () => expect(clients.map(({ title }) => title)).toContain('Gemini CLI'));

test.each(clients)(
  '$title reads objects, lists and errors in the $era era, and has its name in windows and logs',
  async ({ title, name, version, readsTextAsObject, era }) => {
    await using todo = openTodo({ database: ':memory:' });
    const { definition } = await createAggregator({
      mounts: [
        { id: 'todo', definition: todoServer(todo) },
        { id: 'sample', definition: sample },
      ],
    });
    await using peer = await connectInProcess(definition, {
      era,
      over: 'stdio',
      clientInfo: { name, version },
      ...(readsTextAsObject ? { received: readTextAsObject } : {}),
    });
    await peer.listTools();
    const added = await peer.callTool('todo_add_task', { user_id: 'me', title: 'Buy milk' });
    expect(firstText(added)).toContain('"task_id":1');
    const all = await peer.callTool('todo_list_tasks', { user_id: 'me' });
    expect(firstText(all)).toContain('Buy milk');
    const failed = await peer.callTool('todo_delete_task', { user_id: 'me', task_id: 999 });
    expect(failed).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('not found') }, {}],
    });
    expect(firstText(await peer.callTool('sample_who'))).toMatch(new RegExp(`^${title}( ·|$)`));
  },
);

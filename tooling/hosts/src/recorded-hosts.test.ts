import { createAggregator } from '@deskside/aggregator';
import { defineServer, toolDefiner } from '@deskside/core';
import { connectInProcess, firstText, type Peer } from '@deskside/testkit';
import { openTodo, todoServer } from '@deskside/todo';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { HOSTS } from './hosts.ts';
import type { Measured } from './measure.ts';
import { storedResults } from './page.ts';

const defineTool = toolDefiner<undefined>();
const common = {
  title: 'Sample',
  description: 'A sample tool',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({}),
};
const sample = defineServer({
  name: 'sample',
  version: '1.0.0',
  deps: undefined,
  tools: [
    defineTool({ ...common, name: 'view', meta: { ui: { visibility: ['app'] } }, run: () => '<html>' }),
    defineTool({ ...common, name: 'who', run: (_, __, { caller }) => caller.label() }),
  ],
});

/** What a host does to a result before its model reads it. */
const QUIRKS: Readonly<Record<string, (result: Record<string, unknown>) => Record<string, unknown>>> = {
  gemini(result) {
    const [first] = (result['content'] ?? []) as readonly { readonly text?: string }[];
    if (first?.text === undefined || result['structuredContent'] !== undefined) return result;
    try {
      return { ...result, structuredContent: JSON.parse(first.text) };
    } catch {
      return result;
    }
  },
};

function capabilitiesOf(declares: readonly string[]) {
  const [extensions, plain] = [true, false].map((isExtension) =>
    Object.fromEntries(
      declares.filter((name) => name.includes('/') === isExtension).map((name) => [name, {}]),
    ),
  );
  return { ...plain, extensions: { ...extensions } };
}

/** A client that introduces itself as the host did, and reads results as it does. */
async function connectAs(id: string, { clientInfo, protocol, declares }: Measured): Promise<Peer> {
  const todo = openTodo({ database: ':memory:' });
  onTestFinished(() => todo[Symbol.asyncDispose]());
  const { definition } = await createAggregator({
    mounts: [
      { id: 'todo', definition: todoServer(todo) },
      { id: 'sample', definition: sample },
    ],
  });
  const received = QUIRKS[id];
  const peer = await connectInProcess(definition, {
    era: protocol === '2026-07-28' ? 'modern' : 'legacy',
    over: 'stdio',
    clientInfo,
    capabilities: capabilitiesOf(declares),
    ...(received === undefined ? {} : { received }),
  });
  onTestFinished(() => peer[Symbol.asyncDispose]());
  return peer;
}

describe.each(HOSTS)('$title', ({ id, title }) => {
  const measured = storedResults().hosts[id];
  if (measured === undefined) throw new Error(`${title} was not measured.`);

  test(`${title} reads objects, lists and errors`, async () => {
    const peer = await connectAs(id, measured);
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
  });

  test(`${title} has its name in windows and logs, and the tools that its model can use`, async () => {
    const peer = await connectAs(id, measured);
    expect(firstText(await peer.callTool('sample_who'))).toMatch(new RegExp(`^${title}( ·|$)`));
    const names = (await peer.listTools()).map(({ name }) => name);
    expect(names.includes('sample_view')).toBe(measured.declares.includes('io.modelcontextprotocol/ui'));
  });
});

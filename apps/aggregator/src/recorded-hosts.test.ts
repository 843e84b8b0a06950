import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineServer, toolDefiner } from '@deskside/core';
import { connectInProcess, firstText, type Peer } from '@deskside/testkit';
import { openTodo, todoServer } from '@deskside/todo';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { createAggregator } from '@deskside/gateway';

/** What the bench of hosts has recorded of real ones. */
const recorded = z.object({
  hosts: z.record(
    z.string(),
    z.object({
      title: z.string(),
      clientInfo: z.object({ name: z.string(), version: z.string() }),
      protocol: z.string(),
      declares: z.array(z.string()),
    }),
  ),
});
type Host = z.infer<typeof recorded>['hosts'][string];
const RECORDS = join(import.meta.dirname, '../../../tooling/hosts/results.json');
const { hosts } = recorded.parse(JSON.parse(readFileSync(RECORDS, 'utf8')));

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

function capabilitiesOf(declares: readonly string[]) {
  const [extensions, plain] = [true, false].map((isExtension) =>
    Object.fromEntries(
      declares.filter((name) => name.includes('/') === isExtension).map((name) => [name, {}]),
    ),
  );
  return { ...plain, extensions: { ...extensions } };
}

/** A client that introduces itself as the host did, and reads results as it does. */
async function connectAs(id: string, { clientInfo, protocol, declares }: Host): Promise<Peer> {
  const todo = openTodo({ database: ':memory:' });
  onTestFinished(() => todo[Symbol.asyncDispose]());
  const { definition } = await createAggregator({
    mounts: [
      { id: 'todo', definition: todoServer(todo) },
      { id: 'sample', definition: sample },
    ],
  });
  const peer = await connectInProcess(definition, {
    era: protocol === '2026-07-28' ? 'modern' : 'legacy',
    over: 'stdio',
    clientInfo,
    capabilities: capabilitiesOf(declares),
    ...(id === 'gemini' ? { received: readTextAsObject } : {}),
  });
  onTestFinished(() => peer[Symbol.asyncDispose]());
  return peer;
}

test('hosts are recorded', () => expect(Object.keys(hosts)).toContain('gemini'));

describe.each(Object.entries(hosts))('%s', (id, host) => {
  test('reads objects, lists and errors', async () => {
    const peer = await connectAs(id, host);
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

  test('has its name in windows and logs, and the tools that its model can use', async () => {
    const peer = await connectAs(id, host);
    expect(firstText(await peer.callTool('sample_who'))).toMatch(new RegExp(`^${host.title}( ·|$)`));
    const names = (await peer.listTools()).map(({ name }) => name);
    expect(names.includes('sample_view')).toBe(host.declares.includes('io.modelcontextprotocol/ui'));
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineServer, toolDefiner } from '@deskside/core';
import { connectInProcess, firstText, type Peer } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
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

function capabilitiesOf(declares: readonly string[]) {
  const [extensions, plain] = [true, false].map((isExtension) =>
    Object.fromEntries(
      declares.filter((name) => name.includes('/') === isExtension).map((name) => [name, {}]),
    ),
  );
  return { ...plain, extensions: { ...extensions } };
}

/** A client that introduces itself as the host did. */
async function connectAs({ clientInfo, protocol, declares }: Host): Promise<Peer> {
  const { definition } = await createAggregator({ mounts: [{ id: 'sample', definition: sample }] });
  const peer = await connectInProcess(definition, {
    era: protocol === '2026-07-28' ? 'modern' : 'legacy',
    over: 'stdio',
    clientInfo,
    capabilities: capabilitiesOf(declares),
  });
  onTestFinished(() => peer[Symbol.asyncDispose]());
  return peer;
}

test('hosts are recorded', () => expect(Object.keys(hosts)).toContain('gemini'));

test.each(Object.entries(hosts))(
  '%s has its name in windows and logs, and the tools that its model can use',
  async (_, host) => {
    const peer = await connectAs(host);
    expect(firstText(await peer.callTool('sample_who'))).toMatch(new RegExp(`^${host.title}( ·|$)`));
    const names = (await peer.listTools()).map(({ name }) => name);
    expect(names.includes('sample_view')).toBe(host.declares.includes('io.modelcontextprotocol/ui'));
  },
);

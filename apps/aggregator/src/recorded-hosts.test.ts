import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineServer, toolDefiner } from '@deskside/core';
import { connectInProcess, firstText } from '@deskside/testkit';
import { expect, test } from 'vitest';
import * as z from 'zod';

/** What the bench of hosts has recorded of real ones. */
const recorded = z.object({
  hosts: z.record(
    z.string(),
    z.object({
      title: z.string(),
      clientInfo: z.object({ name: z.string(), version: z.string() }),
      protocol: z.string(),
    }),
  ),
});
const RECORDS = join(import.meta.dirname, '../../../tooling/hosts/results.json');
const { hosts } = recorded.parse(JSON.parse(readFileSync(RECORDS, 'utf8')));

const who = toolDefiner<undefined>()({
  name: 'who',
  title: 'Sample',
  description: 'A sample tool',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({}),
  run: (_, __, { caller }) => caller.label(),
});
const sample = defineServer({ name: 'sample', version: '1.0.0', deps: undefined, tools: [who] });

test('hosts are recorded', () => expect(Object.keys(hosts)).toContain('gemini'));

test.each(Object.entries(hosts))('%s has its name in windows and logs', async (_, host) => {
  const { title, clientInfo, protocol } = host;
  const era = protocol === '2026-07-28' ? 'modern' : 'legacy';
  await using peer = await connectInProcess(sample, { era, over: 'stdio', clientInfo });
  expect(firstText(await peer.callTool('who'))).toMatch(new RegExp(`^${title}( ·|$)`));
});

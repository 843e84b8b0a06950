import { connectStdio } from '@deskside/testkit';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { expect, test } from 'vitest';
import { deskHome } from './testing/desk-home.ts';
import { foreignServer } from '@deskside/gateway/testing/foreign-server';

test('a server that is added in a terminal can be called by the open clients of the desk', async () => {
  const home = deskHome();
  const foreign = await foreignServer([
    { name: 'read', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } },
  ]);
  await using legacy = await connectStdio(home.client(), { era: 'legacy' });
  await using modern = await connectStdio(home.client(), { era: 'modern' });
  // Without it the client keeps a list for a minute.
  if (!(modern.client instanceof LegacyClient)) await modern.client.listen({ toolsListChanged: true });
  const pid = home.pid();
  expect(await home.run('add', 'docs', foreign.url, '--yes')).toContain(
    'Added docs. A running desk has it now.',
  );
  for (const client of [legacy, modern]) {
    await expect.poll(async () => (await client.listTools()).map(({ name }) => name)).toContain('docs_read');
    expect(await client.callTool('docs_read')).toMatchObject({ content: [{ text: 'read of foreign' }] });
  }
  expect(await home.run('remove', 'docs')).toContain('Removed docs.');
  for (const client of [legacy, modern]) {
    await expect
      .poll(async () => (await client.listTools()).map(({ name }) => name))
      .not.toContain('docs_read');
  }
  expect(home.pid()).toBe(pid);
});

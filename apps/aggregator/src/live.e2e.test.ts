import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, connectStdio, startProgram } from '@deskside/testkit';
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

test('a program that is moved after its acceptance is found in the PATH of an attached client', async () => {
  const home = deskHome();
  const paths = ['before', 'after'].map((name) => join(home.home, name));
  const [before = '', after = ''] = paths;
  for (const path of paths) mkdirSync(path);
  const memory = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'));
  writeFileSync(join(before, 'my-memory'), `#!/bin/sh\nexec '${process.execPath}' '${memory}'\n`, {
    mode: 0o755,
  });
  const { PATH: short = '' } = cleanEnvironment(home.home);
  const withFolder = (path: string) => ({ PATH: [short, path].join(delimiter) });
  const words = ['add', 'memory', '--yes', '--isolation', 'shared', '--', 'my-memory'];
  await using added = startProgram(home.command(words, withFolder(before)));
  expect(await added.exited).toBe(0);
  renameSync(join(before, 'my-memory'), join(after, 'my-memory'));
  await using starter = await connectStdio(home.client(), { era: 'modern' });
  const call = () => starter.callTool('memory_read_graph', {});
  expect(JSON.stringify(await call())).toContain('my-memory is in no folder of PATH');
  await using wide = await connectStdio(home.client([], withFolder(after)), { era: 'modern' });
  await wide.listTools();
  await expect.poll(async () => JSON.stringify(await call())).toContain('entities');
});

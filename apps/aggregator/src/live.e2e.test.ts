import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, connectStdio, type Peer, startProgram } from '@deskside/testkit';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { expect, test } from 'vitest';
import { deskHome } from './testing/desk-home.ts';

const MEMORY = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'));
const TOOL = 'memory_read_graph';

const hasTool = async (peer: Peer) => (await peer.listTools()).some(({ name }) => name === TOOL);
const call = async (peer: Peer) => JSON.stringify(await peer.callTool(TOOL));

test('a server that is added in a terminal can be called by the open clients of the desk, also after its program was moved', async () => {
  const { home, client, command, pid, run } = deskHome();
  const [before, after] = [join(home, 'before'), join(home, 'after')];
  for (const folder of [before, after]) mkdirSync(folder);
  const script = `#!/bin/sh\nexec '${process.execPath}' '${MEMORY}'\n`;
  writeFileSync(join(before, 'my-memory'), script, { mode: 0o755 });
  const { PATH: short = '' } = cleanEnvironment(home);
  const withFolder = (folder: string) => ({ PATH: [short, folder].join(delimiter) });

  await using legacy = await connectStdio(client(), { era: 'legacy' });
  await using modern = await connectStdio(client(), { era: 'modern' });
  // Without it the client keeps a list for a minute.
  if (!(modern.client instanceof LegacyClient)) await modern.client.listen({ toolsListChanged: true });
  const desk = pid();
  const words = ['add', 'memory', '--yes', '--isolation', 'shared', '--', 'my-memory'];
  await using added = startProgram(command(words, withFolder(before)));
  expect(await added.exited).toBe(0);
  expect(added.stdout()).toContain('Added memory. A running desk has it now.');
  for (const peer of [legacy, modern]) await expect.poll(() => hasTool(peer)).toBe(true);

  renameSync(join(before, 'my-memory'), join(after, 'my-memory'));
  expect(await call(legacy)).toContain('my-memory is in no folder of PATH');
  // The desk searches the PATH of its clients, too.
  await using wide = await connectStdio(client([], withFolder(after)), { era: 'modern' });
  for (const peer of [legacy, modern, wide]) await expect.poll(() => call(peer)).toContain('entities');

  expect(await run('remove', 'memory')).toContain('Removed memory.');
  for (const peer of [legacy, modern]) await expect.poll(() => hasTool(peer)).toBe(false);
  expect(pid()).toBe(desk);
});

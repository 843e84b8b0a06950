import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, connectStdio, firstText, type Peer, startProgram } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { deskHome } from './testing/desk-home.ts';

const MEMORY = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'));

const call = async (peer: Peer) => firstText(await peer.callTool('memory_read_graph'));

test('a server that is added in a terminal can be called by the open clients of the desk, also after its program was moved', async () => {
  const { home, client, command, pid } = deskHome();
  const [before, after] = [join(home, 'before'), join(home, 'after')];
  for (const folder of [before, after]) mkdirSync(folder);
  const running = join(home, 'running');
  const script = `#!/bin/sh\necho $$ > '${running}'\nexec '${process.execPath}' '${MEMORY}'\n`;
  writeFileSync(join(before, 'my-memory'), script, { mode: 0o755 });
  const { PATH: short = '' } = cleanEnvironment(home);
  const withFolder = (folder: string) => ({ PATH: [short, folder].join(delimiter) });

  await using peer = await connectStdio(client(), { era: 'legacy' });
  const desk = pid();
  const words = ['add', 'memory', '--yes', '--isolation', 'shared', '--', 'my-memory'];
  await using added = startProgram(command(words, withFolder(before)));
  expect(await added.exited).toBe(0);
  // The desk does not have the PATH of the terminal.
  await expect.poll(() => call(peer)).toContain('entities');

  renameSync(join(before, 'my-memory'), join(after, 'my-memory'));
  process.kill(Number(readFileSync(running, 'utf8')));
  await expect.poll(() => call(peer)).toContain('my-memory is in no folder of PATH');
  // The desk searches the PATH of its clients, too.
  await using wide = await connectStdio(client([], withFolder(after)), { era: 'modern' });
  for (const each of [peer, wide]) await expect.poll(() => call(each)).toContain('entities');
  expect(pid()).toBe(desk);
});

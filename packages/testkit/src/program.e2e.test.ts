import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectStdio } from './connect.ts';
import { ownEnvironment, startProgram } from './program.ts';

const SERVER = join(import.meta.dirname, '../../log-notify/dist/bin/cli.js');

test('a server that a test starts without an environment writes its files into the folder of the tests', async () => {
  {
    await using peer = await connectStdio({ command: process.execPath, args: [SERVER] }, { era: 'modern' });
    await peer.callTool('notify', { message: 'Deployed' });
  }
  expect(existsSync(join(ownEnvironment()['XDG_STATE_HOME'] ?? '', 'deskside/notify.jsonl'))).toBe(true);
});

test('a program without an environment has the variables of this process, and other folders', async () => {
  const script = 'console.log(process.env.PATH + "\\n" + process.env.XDG_STATE_HOME)';
  await using program = startProgram({ command: process.execPath, args: ['-e', script] });
  await program.exited;
  expect(program.stdout().trim().split('\n')).toStrictEqual([
    process.env['PATH'],
    ownEnvironment()['XDG_STATE_HOME'],
  ]);
});

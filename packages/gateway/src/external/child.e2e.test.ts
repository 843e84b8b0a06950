import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLog } from '@deskside/core';
import { startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { running } from '../testing/external.ts';
import { callOf, fakeServer, isRunning, jsonOf } from '../testing/fake.ts';
import { openDesk } from '../testing/open-desk.ts';
import type { ServerCommand } from './spec.ts';
import { systemTransports } from './transport.ts';
import { startOnTrial } from './trial.ts';

type Json = Readonly<Record<string, unknown>>;

test('a program is found in the PATH of the person who accepted it, and one that is nowhere names what was searched', async () => {
  const folder = temporaryFolder();
  const { command, args = [] } = fakeServer();
  const script = `#!/bin/sh\nexec ${[command, ...args].map((each) => `'${each}'`).join(' ')}\n`;
  writeFileSync(join(folder, 'my-server'), script, { mode: 0o755 });
  const openTransport = systemTransports({ PATH: '/usr/bin:/bin' });
  const trial = (server: ServerCommand) => startOnTrial('x', running(server), openTransport);
  const found = await trial({ command: 'my-server', path: `${folder}:/usr/bin` });
  expect(found.listing.tools.length).toBeGreaterThan(0);
  await expect(trial({ command: 'my-server', path: '/usr/local/bin' })).rejects.toThrow(
    'my-server is in no folder of PATH (/usr/local/bin:/usr/bin:/bin). Install it, or run "deskside apply" in a terminal that finds it.',
  );
  await expect(trial({ command: '/none/program' })).rejects.toThrow(
    '/none/program does not exist. Correct its command.',
  );
  const cwd = join(folder, 'none');
  await expect(trial({ command: 'sh', cwd })).rejects.toThrow(
    `Its folder ${cwd} does not exist. Correct its cwd.`,
  );
});

test('a server gets the default environment, the named variables and its own, and secrets stay out of the log', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', write: (line) => lines.push(line) });
  const { peer } = await openDesk(
    {
      x: running(
        { ...fakeServer('good', { OWN: 'secret-value' }), env_vars: ['GIVEN'] },
        { redact: (text) => text.replaceAll('secret-value', '[redacted]') },
      ),
    },
    {
      log,
      openTransport: systemTransports({
        PATH: process.env['PATH'],
        HOME: '/home/me',
        GIVEN: '1',
        OTHER: '2',
      }),
    },
  );
  const env = Object.keys(jsonOf(await callOf(peer, 'x_env')) as Json);
  expect(env.toSorted()).toStrictEqual(expect.arrayContaining(['GIVEN', 'HOME', 'OWN', 'PATH']));
  expect(env).not.toContain('OTHER');
  expect(jsonOf(await callOf(peer, 'x_noise'))).toBe('after noise');
  await expect.poll(() => lines.join('')).toContain('[redacted]');
  expect(lines.join('')).not.toContain('secret-value');
  expect(lines.join('')).not.toContain('\u001b');
});

const PROGRAM = join(import.meta.dirname, '../testing/desk-program.ts');

async function startDesk(...args: readonly string[]) {
  const program = startProgram({ command: process.execPath, args: [PROGRAM, ...args] });
  onTestFinished(() => program[Symbol.asyncDispose]());
  const [, ...pids] = await program.printed(/pids (\d+) (\d+)/);
  await program.printed(/^started$/m);
  return { program, pids: pids.map(Number) };
}

test('no process is left after SIGKILL of the desk, also if it ignores the end of its input and SIGTERM', async () => {
  const { program, pids } = await startDesk();
  expect(pids.map(isRunning)).toStrictEqual([true, true]);
  program.child.kill('SIGKILL');
  await expect.poll(() => pids.map(isRunning)).toStrictEqual([false, false]);
});

test('no process is left after the desk has closed', async () => {
  const { program, pids } = await startDesk('close');
  await program.exited;
  await expect.poll(() => pids.map(isRunning)).toStrictEqual([false, false]);
});

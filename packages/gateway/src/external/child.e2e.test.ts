import { join } from 'node:path';
import { createLog } from '@deskside/core';
import { isRunning, startProgram } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { running, trustingSource } from '../testing/external.ts';
import { callOf, fakeServer, jsonOf, listingOf } from '../testing/fake.ts';
import { openDesk } from '../testing/open-desk.ts';
import type { ServerCommand } from './spec.ts';
import { systemTransports } from './transport.ts';
import { startOnTrial } from './trial.ts';

const trial = (server: ServerCommand) =>
  startOnTrial('x', running(server), systemTransports({ PATH: '/bin' }));

test('a program that does not exist is named, and so is a folder', async () => {
  await expect(trial({ command: 'my-server', path: '/usr/local/bin' })).rejects.toThrow(
    'my-server is in no folder of PATH (/usr/local/bin:/bin). Install it, or run "deskside apply" in a terminal that finds it.',
  );
  await expect(trial({ command: '/none/program' })).rejects.toThrow(
    '/none/program does not exist. Correct its command.',
  );
  const cwd = join(import.meta.dirname, 'none');
  await expect(trial({ command: 'sh', cwd })).rejects.toThrow(
    `Its folder ${cwd} does not exist. Correct its cwd.`,
  );
});

test('a server gets the default environment, the named variables and its own', async () => {
  const { PATH } = process.env;
  const openTransport = systemTransports({ PATH, HOME: '/home/me', GIVEN: '1', OTHER: '2' });
  const server = { ...fakeServer('good', { OWN: '3' }), env_vars: ['GIVEN'] };
  const { peer } = await openDesk({ x: running(server) }, { openTransport });
  const env = Object.keys(Object(jsonOf(await callOf(peer, 'x_env'))));
  expect(env.toSorted()).toStrictEqual(expect.arrayContaining(['GIVEN', 'HOME', 'OWN', 'PATH']));
  expect(env).not.toContain('OTHER');
});

const PROGRAM = join(import.meta.dirname, '../testing/desk-program.ts');
/** Of the server and of a process that it has started. */
const PIDS = /pids (\d+) (\d+)/;

test('no process is left after SIGKILL of the desk, also if it ignores the end of its input and SIGTERM', async () => {
  const program = startProgram({ command: process.execPath, args: [PROGRAM] });
  onTestFinished(() => program[Symbol.asyncDispose]());
  const pids = (await program.printed(PIDS)).slice(1).map(Number);
  await program.printed(/^started$/m);
  expect(pids.map(isRunning)).toStrictEqual([true, true]);
  program.child.kill('SIGKILL');
  await expect.poll(() => pids.map(isRunning)).toStrictEqual([false, false]);
});

test('no process is left after the desk has closed', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', write: (line) => lines.push(line) });
  const { desk, peer } = await openDesk(
    { x: running(fakeServer('stubborn')) },
    { log, sources: { x: trustingSource(listingOf('pid')) } },
  );
  await callOf(peer, 'x_pid');
  await expect.poll(() => lines.join('')).toMatch(PIDS);
  const pids = PIDS.exec(lines.join(''))?.slice(1).map(Number);
  await desk[Symbol.asyncDispose]();
  await expect.poll(() => pids?.map(isRunning)).toStrictEqual([false, false]);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';

/** @param end what follows `serve` */
const program = (port: number, end: string) => `
  import { defineServer } from '@deskside/core';
  import { serve } from '@deskside/core/serving';
  const definition = defineServer({ name: 's', version: '1.0.0', deps: null });
  await serve(definition, { http: { port: ${port}, auth: { token: 'a-token-of-this-test' } } })${end}
`;

async function run(end = ''): Promise<{ readonly code: unknown; readonly stderr: string }> {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on TCP
  const { port } = taken.address() as AddressInfo;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program(port, end)], {
    cwd: join(import.meta.dirname, '../../..'),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [[code], stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  return { code, stderr: stderr.replaceAll(String(port), '3333').replaceAll(String(port + 1), '3334') };
}

test('a program that cannot listen ends with one line', async () => {
  const line = 'Port 3333 is already in use. Try port: 3334.\n';
  expect(await run()).toStrictEqual({ code: 1, stderr: line });
});

test('a program that handles the error decides itself what it prints', async () => {
  const end = '.catch(() => { console.error("No port."); process.exitCode = 7; })';
  expect(await run(end)).toStrictEqual({ code: 7, stderr: 'No port.\n' });
});

test('another error keeps its stack', async () => {
  const { code, stderr } = await run('.catch(() => { throw new Error("a defect"); })');
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/Error: a defect\n +at /);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../testkit/environment.ts';
import { callPost, INITIALIZE, toolCall } from '../../testing/wire.ts';

const PACKAGE = join(import.meta.dirname, '../../..');
const ECHO_PROGRAM = join(import.meta.dirname, '../../testing/echo-program.ts');
const TOKEN = 'a-long-enough-token';

/** Starts Node.js with a home folder that exists only for the test. */
function startNode(...args: string[]) {
  const home = temporaryFolder();
  const child = spawn(process.execPath, args, {
    cwd: PACKAGE,
    env: { HOME: home.path, DESKSIDE_TOKEN: TOKEN, DESKSIDE_LOG_LEVEL: 'debug' },
    stdio: 'pipe',
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    home[Symbol.dispose]();
  });
  return child;
}

/** Everything by which a dependency prints. `early` is what it captured before core was loaded. */
const PRINT = `
  const early = { console, stdout: process.stdout };
  function print() {
    console.log('stray log');
    console.error('stray error');
    console.table(['stray table']);
    console.profile?.();
    process.stdout.write('stray write\\n');
    new console.Console(process.stdout).log('stray console');
    early.console.log('stray early log');
    early.stdout.write('stray early write\\n');
    process.stdout.end('stray end\\n');
  }
`;
const PRINTED = ['log', 'error', 'table', 'write', 'console', 'early log', 'early write', 'end'];

/** A server whose tools do something after they have answered: `print` prints again, and `later` rejects. */
const SERVER = `
  const { defineServer, toolDefiner } = await import('@deskside/core');
  const { serve } = await import('@deskside/core/serving');
  const { z } = await import('zod');
  const common = { title: 'A tool', description: 'Does it', annotations: {}, input: z.object({}) };
  const tool = (name, run) => toolDefiner()({ ...common, name, run });
  const tools = [
    tool('print', () => {
      print();
      setImmediate(print);
      return 'printed';
    }),
    tool('later', () => {
      setImmediate(() => void Promise.reject(new Error('too late')));
      return 'ok';
    }),
  ];
  const definition = defineServer({ name: 'print', version: '1.0.0', deps: {}, tools });
`;

const PROGRAMS = {
  'a bin': `
    ${PRINT}
    await import('@deskside/core/stdout');
    print();
    ${SERVER}
    const { defineOptions, runServer } = await import('@deskside/core/program');
    await runServer({
      name: 'print',
      version: '1.0.0',
      summary: 'Prints.',
      options: defineOptions('PRINT', {}),
      open: () => ({ [Symbol.asyncDispose]: async () => undefined }),
      definition: () => definition,
    });
  `,
  'a program that only calls serve()': `${PRINT}${SERVER} await serve(definition);`,
};

test.each(Object.entries(PROGRAMS))(
  '%s that prints keeps serving, and prints to stderr only',
  async (_, program) => {
    const printed = await logOfCalls(program, 'print');
    for (const what of PRINTED) expect(printed).toContain(`stray ${what}`);
  },
);

/** Calls a tool three times. Each call is answered, and the program ends well. @returns what stands on stderr */
async function logOfCalls(program: string, tool: string): Promise<string> {
  const child = startNode('--input-type=module', '-e', program);
  const [ended, log] = [once(child, 'close'), text(child.stderr)];
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  for (const message of [{ ...INITIALIZE, id: 0 }, ...[1, 2, 3].map((id) => toolCall(id, tool))]) {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    const answer = JSON.parse((await lines.next()).value ?? 'null');
    expect(answer).toMatchObject({ jsonrpc: '2.0', id: message.id, result: expect.anything() });
    expect(answer.result).not.toHaveProperty('isError');
  }
  child.stdin.end();
  expect(await lines.next()).toMatchObject({ done: true });
  expect(await ended).toStrictEqual([0, null]);
  return log;
}

test('a stdio server whose client ends its input and reads nothing of a large answer ends', async () => {
  const child = startNode(ECHO_PROGRAM);
  const ended = once(child, 'exit');
  const text = 'x'.repeat(4 * 2 ** 20);
  for (const message of [INITIALIZE, toolCall(2, 'echo', { text })])
    child.stdin.write(`${JSON.stringify(message)}\n`);
  child.stdin.end();
  expect(await ended).toStrictEqual([0, null]);
}, 60_000);

test('a rejection that no code handles is logged with its fields, and the server keeps serving', async () => {
  const serve = `${SERVER} await serve(definition, { rejectionFields: () => ({ mount: 'weather' }) });`;
  expect(await logOfCalls(serve, 'later')).toMatch(
    /"unhandled rejection","mount":"weather","error":"Error: too late/,
  );
});

const listening = (port: number, end: string) => `${SERVER}
  await serve(definition, { http: { port: ${port}, auth: { token: 'a-token-of-this-test' } } })${end}`;

test.each([
  ['one line', '', 1, /^Port 3333 is already in use\. Try port: 3334\.\n$/],
  [
    'what it prints itself and the stack of another error, if it handles this one',
    '.catch(() => { console.error("No port."); throw new Error("a defect"); })',
    7,
    /^No port\.\n[^]*Error: a defect\n +at /,
  ],
])('a program that cannot listen ends with %s', async (_, end, status, expected) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on TCP
  const { port } = taken.address() as AddressInfo;
  const child = startNode('--input-type=module', '-e', listening(port, end));
  const [[code], stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  expect(code).toBe(status);
  const shown = stderr.replaceAll(String(port), '3333').replaceAll(String(port + 1), '3334');
  expect(shown).toMatch(expected);
});

test('an HTTP server keeps serving after the readers of its log and its output have gone', async () => {
  const { stderr, stdout } = startNode(ECHO_PROGRAM, '--http', '--port', '0');
  stderr.destroy();
  await once(stderr, 'close');
  const lines = createInterface({ input: stdout });
  const [line] = await once(lines, 'line');
  stdout.destroy();
  const [url = ''] = /http:\S+/.exec(String(line)) ?? [];
  // The log has a line for each.
  const crashing = callPost('modern', 'crash', {}, { Authorization: `Bearer ${TOKEN}` });
  for (let calls = 0; calls < 3; calls += 1)
    expect(await (await fetch(url, crashing)).text()).toContain('INTERNAL');
});

test('what was written to stderr in the turn in which a process exits is there, in its order', async () => {
  const child = startNode(
    '--input-type=module',
    '--eval',
    `const { writeStandardError } = await import('./src/serving/process/standard-streams.ts');
    writeStandardError('first\\n');
    process.stderr.write('second\\n');
    writeStandardError('third\\n');
    process.exit(1);`,
  );
  expect(await text(child.stderr)).toBe('first\nsecond\nthird\n');
});

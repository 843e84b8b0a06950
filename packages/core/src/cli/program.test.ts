import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { echoServer } from '../testing/echo-server.ts';
import { defineDoctor } from './doctor.ts';
import { helpText } from './help.ts';
import { defineOptions, portField } from './options.ts';
import { type Command, defineCommand, runProgram } from './program.ts';
import { readArguments } from './read-options.ts';
import { runServer } from './server-program.ts';

const options = defineOptions('DEMO', {
  database: z.string().default('/data').meta({ description: 'The database.' }),
  key: z.string().optional().meta({ flag: false, isSecret: true, description: 'The key.' }),
  plain: z.boolean().default(false).meta({ description: 'No colors.' }),
});

/** @returns what it prints, and the exit code */
async function run(command: Command, argv: readonly string[], env: Readonly<Record<string, string>>) {
  const lines: string[] = [];
  const { flags, operands } = readArguments(command.settings, argv);
  const code = await command.run(flags, {
    operands,
    env,
    input: new PassThrough(),
    output: new PassThrough(),
    closed: new AbortController().signal,
    print: (line) => lines.push(line),
    note: () => undefined,
    write: () => undefined,
  });
  return { code, printed: lines.join('\n') };
}

const greet = defineCommand({
  options,
  flags: { times: z.coerce.number().default(1).meta({ placeholder: 'N', description: 'How often.' }) },
  run: async ({ times, database }, { print }) => print(`${times} ${database}`),
});

test('a command takes settings of the server from the environment, and its arguments only from flags', async () => {
  const env = { DEMO_TIMES: '2', _TIMES: '2', TIMES: '2', DEMO_DATABASE: '/env' };
  expect((await run(greet, [], env)).printed).toBe('1 /env');
  expect((await run(greet, ['--times', '3', '--database', '/x'], env)).printed).toBe('3 /x');
  expect(helpText({ name: 'greet', summary: '', usages: [], settings: greet.settings })).toMatch(
    /--times N \(default: 1\)\n {6}How often\.\n {2}--database VALUE \(default: \/data\)\n {6}The database\. Environment: DEMO_DATABASE\./,
  );
});

test('the help lists commands under the headings of their groups', () => {
  const commands = [
    ['add', 'Adds.', 'Tasks'],
    ['doctor', 'Checks.'],
    ['show', 'Shows.', 'Tasks'],
  ] as const;
  expect(
    helpText({ name: 'demo', summary: 'Demo.', usages: ['<command>'], commands, settings: [] }),
  ).toContain('\n\nTasks:\n  add     Adds.\n  show    Shows.\n\nCommands:\n  doctor  Checks.\n\nOptions:');
});

const doctor = defineDoctor({
  options,
  examine: async () => ({ program: 'demo', facts: [['Log', 'on']], problems: [] }),
});

test.each([
  [[], {}, 'all defaults'],
  [[], { DEMO_DATABASE: 'postgres://me:pass/w@db:5432/x' }, 'database (URL) from DEMO_DATABASE'],
  [['--database', 'postgres://me:word@db/x?key=1'], {}, 'database postgres://db from --database'],
  [
    ['--no-plain'],
    { DEMO_KEY: 'abc', DEMO_DATABASE: '/x' },
    'database /x from DEMO_DATABASE\n          key (secret) from DEMO_KEY\n          plain false from --plain',
  ],
])(
  'doctor %j with the environment %j says where each setting comes from, without secrets',
  async (argv, env, lines) => {
    const { code, printed } = await run(doctor, argv, env);
    expect({ code, printed }).toStrictEqual({
      code: 0,
      printed: `demo\n\nLog       on\nSettings  ${lines}\n\nNo problems found.`,
    });
  },
);

test.each([
  [undefined, [], 0],
  [undefined, [{ problem: 'P', remedy: 'R' }], 1],
  [true, [{ problem: 'P', remedy: 'R' }], 0],
  [false, [], 1],
])('doctor with works %j and the problems %j has the exit code %i', async (works, problems, code) => {
  const examine = async () => ({
    program: 'demo',
    facts: [],
    problems,
    ...(works === undefined ? {} : { works }),
  });
  expect((await run(defineDoctor({ options, examine }), [], {})).code).toBe(code);
});

/** Runs a program whose only command throws. @returns what stands on stderr, and the exit code */
async function runFailing(work: () => unknown) {
  const { argv, exitCode } = process;
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => {
    written.mockRestore();
    Object.assign(process, { argv, exitCode });
  });
  process.argv = ['node', 'demo', 'save'];
  const save = defineCommand({ run: async () => void work() });
  const commands = { save: { summary: 'Save.', load: async () => save } };
  await runProgram({ name: 'demo', version: '1.2.3', summary: 'Demo.', commands });
  return { code: process.exitCode, stderr: written.mock.calls.join('') };
}

test('a command that the system refuses something ends with one line', async () => {
  expect(await runFailing(() => readFileSync('/missing/file'))).toStrictEqual({
    code: 1,
    stderr: expect.stringMatching(/^demo save: ENOENT: no such file or directory, open '.*'\.\n$/),
  });
});

test.each([
  ['of the program', new TypeError('x is not a function')],
  ['with a code of Node.js', Object.assign(new TypeError('not a string'), { code: 'ERR_INVALID_ARG_TYPE' })],
  ['that names only a system call', Object.assign(new Error('open'), { syscall: 'open' })],
])('an error %s is a defect, whose stack is shown', async (_, error) => {
  await expect(
    runFailing(() => {
      throw error;
    }),
  ).rejects.toBe(error);
});

test('a server whose option has the flag of a common one cannot start', async () => {
  const { argv } = process;
  onTestFinished(() => void Object.assign(process, { argv }));
  process.argv = ['node', 'demo', '--version'];
  const start = runServer({
    name: 'demo',
    version: '1.2.3',
    summary: 'Demo.',
    options: defineOptions('DEMO', { port: portField(1) }),
    open: () => ({ [Symbol.asyncDispose]: async () => undefined }),
    definition: () => echoServer(),
  });
  await expect(start).rejects.toThrow('Option "port" cannot work: another option has the flag "port".');
});

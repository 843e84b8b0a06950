import { PassThrough } from 'node:stream';
import { styleText } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../base/clock.ts';
import { StartError } from '../errors/index.ts';
import { echoServer } from '../testing/echo-server.ts';
import { defineDoctor } from './doctor.ts';
import { helpText } from './help.ts';
import { defineOptions } from './options.ts';
import { type Command, defineCommand, type Program, runProgram } from './program.ts';
import { readArguments } from './read-options.ts';
import { runServer } from './server-program.ts';

const options = defineOptions('DEMO', {
  database: z.string().default('/data').meta({ description: 'The database.' }),
  key: z.string().optional().meta({ flag: false, isSecret: true, description: 'The key.' }),
  plain: z.boolean().default(false).meta({ description: 'No colors.' }),
});

/** @returns what it prints, and the exit code */
async function run(
  command: Command,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  terminal: { readonly isTTY?: boolean } = {},
) {
  const lines: string[] = [];
  const { flags, operands } = readArguments(command.settings, argv);
  const code = await command.run(flags, {
    operands,
    env,
    input: new PassThrough(),
    output: Object.assign(new PassThrough(), terminal),
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

const doctor = defineDoctor({
  options,
  examine: async () => ({ program: 'demo', facts: [['Log', 'on']], problems: [] }),
});

test.each([
  [['--all'], {}, 'all defaults'],
  [[], { DEMO_DATABASE: 'postgres://me:pass/w@db:5432/x' }, 'database (URL) from DEMO_DATABASE'],
  [['--database', 'postgres://me:word@db/x?key=1'], {}, 'database (URL) from --database'],
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
      printed: `demo\n\n✓ No problems found.\n\nLog       on\nSettings  ${lines}`,
    });
  },
);

test('doctor begins with the problems and what helps, and escapes what it shows', async () => {
  const problems = [{ problem: 'The database is missing.', remedy: 'Create it.' }];
  const facts = [['Database', '/data/x\u001B[31m']] as const;
  const examine = async () => ({ program: 'demo', facts, problems });
  expect((await run(defineDoctor({ options, examine }), ['--all'], {})).printed).toBe(
    'demo\n\nProblems:\n  ✗ The database is missing.\n    Create it.\n\nDatabase  /data/x\\u{1b}[31m\nSettings  all defaults',
  );
});

test('the signs of doctor have a color in a terminal that has colors', async () => {
  vi.stubEnv('FORCE_COLOR', '1');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { printed } = await run(doctor, [], {}, { isTTY: true });
  expect(printed).toBe(
    `demo\n\n${styleText('green', '✓')} No problems found.\n\nLog  on\n\n--all shows 1 more.`,
  );
  expect((await run(doctor, [], {})).printed).toContain('\n✓ No');
});

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

/** Runs a program in this process. @returns what stands on stderr, and the exit code */
async function endOf(run: () => Promise<void>, args: readonly string[]) {
  const { argv, exitCode } = process;
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => {
    written.mockRestore();
    Object.assign(process, { argv, exitCode });
  });
  process.argv = ['node', 'demo', ...args];
  await run();
  return { code: process.exitCode, stderr: written.mock.calls.join('') };
}

const DEMO = { name: 'demo', version: '1.2.3', summary: 'Demo.' };

function runBin(program: Pick<Program, 'commands' | 'main'>, args: readonly string[]) {
  return endOf(() => runProgram({ ...DEMO, ...program }), args);
}

test.each(['open', 'definition', 'tokens'])(
  'a server whose %s cannot start closes what is open, and says why',
  async (step) => {
    vi.stubEnv('DESKSIDE_TOKEN', 'a-long-enough-token');
    onTestFinished(() => void vi.unstubAllEnvs());
    let closed = 0;
    const at = <Value>(here: string, value: Value) => {
      if (here === step) throw new StartError(`no ${here}`);
      return value;
    };
    const start = () =>
      runServer({
        ...DEMO,
        options: defineOptions('DEMO', {}),
        open: () => at('open', { [Symbol.asyncDispose]: async () => void (closed += 1) }),
        definition: () => at('definition', echoServer()),
        tokens: () => at('tokens', { read: async () => [] }),
      });
    const { code, stderr } = await endOf(start, ['--http', '--port', '0']);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`demo: no ${step}\n`)]);
    expect(closed).toBe(step === 'open' ? 0 : 1);
  },
);

/** Runs a program whose only command throws. */
function runFailing(work: () => unknown) {
  const save = defineCommand({ run: async () => void work() });
  return runBin({ commands: { save: { summary: 'Save.', load: async () => save } } }, ['save']);
}

const entry = (summary: string, command: Command | Pick<Program, 'commands'> = greet) => ({
  summary,
  load: async () => command,
});
const COMMANDS = {
  http: entry('Serve.'),
  'token show': entry('Print.'),
  'token create': entry('Create.'),
  more: entry('More.', { commands: { greet: entry('Greet.') } }),
};

const ALL = 'Commands: http, token show, token create, more. See demo --help.';
/** Those that begin with the same word. */
const TOKEN = 'Commands: token show, token create. See demo --help.';

test.each([
  [['token'], `demo: Incomplete command "token". ${TOKEN}`],
  [['token', '--user'], `demo: Incomplete command "token". ${TOKEN}`],
  [['token', 'creat', 'x'], `demo: Unknown command "token creat". Did you mean "token create"? ${TOKEN}`],
  [['token', 'x'], `demo: Unknown command "token x". ${TOKEN}`],
  [['htp'], `demo: Unknown command "htp". Did you mean "http"? ${ALL}`],
  // The main help of a server shows an option without a command.
  [['--times', '2', 'http'], `demo: Put the command before "--times". ${ALL}`],
  [['more'], 'demo more: Missing command. Commands: greet. See demo more --help.'],
  [['more', 'x'], 'demo more: Unknown command "x". Commands: greet. See demo more --help.'],
  [['http', '--tims', '2'], 'demo http: Unknown option "--tims". Did you mean "--times"? See --help.'],
  [['http', 'x'], 'demo http: Unexpected argument "x". See demo http --help.'],
])('the arguments %j end with exit code 1 and one line on stderr', async (args, line) => {
  expect(await runBin({ commands: COMMANDS }, args)).toStrictEqual({ code: 1, stderr: `${line}\n` });
});

test('a program that also runs without a command suggests the second word, too', async () => {
  const main = defineCommand({ run: async () => 0 });
  expect((await runBin({ commands: COMMANDS, main }, ['token', 'creat', 'x'])).stderr).toContain(
    'Unknown command "token creat". Did you mean "token create"?',
  );
});

/** @returns what a program prints */
async function printed(program: Pick<Program, 'commands' | 'main'>, args: readonly string[]) {
  const claimed = Symbol.for('deskside.stdout');
  const stdout: unknown = Reflect.get(process, claimed);
  const output = new PassThrough();
  Reflect.set(process, claimed, output);
  await runBin(program, args).finally(() => Reflect.set(process, claimed, stdout));
  return String(output.read() ?? '');
}

test.each([
  ['help', ''],
  ['help http', 'http'],
  ['help token create', 'token create'],
  ['help more greet', 'more greet'],
  ['more help greet', 'more greet'],
  ['help help', ''],
])('%s is the help of the command "%s"', async (words, command) => {
  const text = await printed({ commands: COMMANDS }, `${command} --help`.trim().split(' '));
  expect(text).toContain(`Usage: demo ${command}`.trim());
  expect(await printed({ commands: COMMANDS }, words.split(' '))).toBe(text);
});

test('help stays a command or an operand of a program that has it', async () => {
  const own = defineCommand({ run: async (_, { print }) => print('own') });
  expect(await printed({ commands: { help: entry('Own.', own) } }, ['help'])).toBe('own\n');
  const main = defineCommand({
    operands: 'WORD',
    run: async (_, { operands, print }) => print(operands.join()),
  });
  expect(await printed({ commands: {}, main }, ['help'])).toBe('help\n');
});

const PAIR = 'Pass NAME and FILE';
const IN_QUOTES = ', a text with spaces in quotation marks';

test.each([
  ['NAME', [], 'Pass one NAME'],
  ['NAME', ['a', 'b'], `Pass one NAME${IN_QUOTES}`],
  ['NAME FILE', ['a'], PAIR],
  ['NAME FILE', ['a', 'b', 'c'], `${PAIR}${IN_QUOTES}`],
  ['NAME FILE', ['a', 'b'], undefined],
  ['NAME FILE', ['', ' '], PAIR],
  ['[NAME]', [], undefined],
  ['WORDS...', ['a', 'b'], undefined],
  ['NAME | NAME FILE', ['a', 'b'], undefined],
])('a command with the words %s that gets %j: %s', async (operands, given, error) => {
  const { stderr } = await runBin(
    { commands: { do: entry('Do.', defineCommand({ operands, run: async () => undefined })) } },
    ['do', ...given],
  );
  expect(stderr).toBe(error === undefined ? '' : `demo do: ${error}. See --help.\n`);
});

test('a command follows the time zone of the machine as long as it runs', async () => {
  vi.stubEnv('TZ', undefined);
  const after = vi.spyOn(systemClock, 'after').mockReturnValue(() => undefined);
  onTestFinished(() => {
    after.mockRestore();
    vi.unstubAllEnvs();
  });
  expect(await printed({ commands: COMMANDS }, ['http', '--version'])).toBe('1.2.3\n');
  expect(after).not.toHaveBeenCalled();
  const wait = defineCommand({ run: async () => 0 });
  await runBin({ commands: { wait: entry('Wait.', wait) } }, ['wait']);
  expect(after.mock.calls).toEqual([[60_000, expect.any(Function), { isBackground: true }]]);
});

test('a command that finds the disk full says which file, and what to do', async () => {
  const error = { code: 'ENOSPC', syscall: 'write', path: '/home/ada/notes' };
  const { stderr } = await runFailing(() => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), error);
  });
  expect(stderr).toBe('demo save: /home/ada/notes: the disk is full (ENOSPC). Free some space.\n');
});

test('an error that repeats what a file contains sends no signs to the terminal', async () => {
  const error = new StartError('a\u001b]0;b\u0007 is no\nfile');
  const failing = () => {
    throw error;
  };
  expect((await runFailing(failing)).stderr).toBe('demo save: a\\u{1b}]0;b\\u{7} is no\nfile\n');
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

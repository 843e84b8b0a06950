import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { cleanEnvironment, startProgram } from '@deskside/testkit';
import { type Check, type CheckResult, command, resultOf } from './check.ts';
import { COMMANDS, type Trial } from './docs/readme-commands.ts';

const STOP_TIMEOUT_MS = 20_000;

type Environment = Readonly<Record<string, string>>;

/** The first steps in a new clone with an empty home: the commands of README, and the token. */
export const npmStart: Check = {
  name: 'npm start',
  async run() {
    using home = temporaryFolder();
    const env = cleanEnvironment(home.path);
    const results: CheckResult[] = [];
    for (const [line, trial] of Object.entries(COMMANDS)) {
      if (typeof trial !== 'string') results.push(resultOf(line, await faultsOf(line, trial, env)));
    }
    const token = (await readFile(join(home.path, 'data/deskside/token'), 'utf8')).trim();
    const shown = await command('npm', ['start', '--silent', '--', 'token', 'show'], { env });
    results.push(resultOf('npm start -- token show', shown.stdout === token ? [] : [shown.all]));
    return results;
  },
};

async function faultsOf(line: string, trial: Trial, env: Environment): Promise<readonly string[]> {
  const { prints, more = [], input = '', code = 0 } = trial;
  const words = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
  const [file = '', ...args] = words;
  if (trial.isServer === true) return serverFaults(file, [...args, ...more], trial, env);
  const { exitCode, stdout, stderr } = await command(file, [...args, ...more], { env, input, stdin: 'pipe' });
  return [
    ...(exitCode === code ? [] : [`exits with ${exitCode} instead of ${code}`]),
    ...(prints.test(stdout) || prints.test(stderr) ? [] : [`does not print ${prints}`, stdout, stderr]),
  ];
}

/** Starts a server, and ends npm with a signal. */
async function serverFaults(
  file: string,
  args: readonly string[],
  { prints }: Trial,
  env: Environment,
): Promise<readonly string[]> {
  await using npm = startProgram({ command: file, args, env });
  const [, address = ''] = await npm.printed(/serves MCP at (\S+)/);
  await npm.printed(prints);
  const { origin, hostname, port } = new URL(address);
  const { status } = await fetch(`${origin}/healthz`);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const closed = once(socket, 'close', { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) });
  npm.child.kill('SIGTERM');
  const [end] = await Promise.allSettled([closed]);
  return [
    ...(status === 200 ? [] : [`/healthz answers ${status}`]),
    ...(end.status === 'fulfilled' ? [] : ['the server still runs after SIGTERM to npm']),
  ];
}

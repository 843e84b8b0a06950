import { readFile, stat } from 'node:fs/promises';
import { platform as currentPlatform } from 'node:os';
import { basename, join } from 'node:path';
import spawn from 'cross-spawn';
import { namesIn, shellQuoted } from '@deskside/core/base';
import { outputOf } from '@deskside/desktop';
import { errnoOf } from '@deskside/core/errors';

export interface Ran {
  readonly code: number;
  /** What it printed on both streams. */
  readonly output: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const PROGRAM_TIMEOUT_MS = 60_000;

/** Runs a client's own program; undefined if it is not installed. On Windows it may be a script. */
export async function runProgram(
  program: string,
  args: readonly string[],
  env: Environment,
): Promise<Ran | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Ran | undefined>();
  const child = spawn(program, [...args], { env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  // The option `timeout` of `spawn` keeps this process waiting if the program does not exist.
  const timer = setTimeout(() => child.kill(), PROGRAM_TIMEOUT_MS);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  child.on('error', (error) => {
    if (errnoOf(error) === 'ENOENT') resolve(undefined);
    else reject(error);
  });
  child.on('close', (code) => resolve({ code: code ?? 1, output: output.trim() }));
  return promise.finally(() => clearTimeout(timer));
}

/** Whether this user, on Windows any user, runs a program with one of these names; false if that cannot be found out. */
export async function isRunning(
  names: readonly string[],
  platform: NodeJS.Platform,
  env: Environment,
): Promise<boolean> {
  const running =
    platform === 'linux' ? await linuxPrograms(env['HOME']) : await listedPrograms(platform, env);
  return running.some((name) => names.includes(name));
}

/** Containers have no `ps`. A program with another home folder has other files. */
async function linuxPrograms(home: string | undefined): Promise<readonly string[]> {
  const processes = namesIn('/proc').filter((name) => /^\d+$/.test(name));
  const user = await ownerOf('self');
  const names = processes.map(async (id) => {
    if ((await ownerOf(id)) !== user) return '';
    const [name, variables] = await Promise.all([readProcess(id, 'comm'), readProcess(id, 'environ')]);
    const [, own = home] = /(?:^|\0)HOME=([^\0]*)/.exec(variables) ?? [];
    return own === home ? name.trim() : '';
  });
  return Promise.all(names);
}

/** @returns nothing if the process has ended */
function readProcess(id: string, file: string): Promise<string> {
  return readFile(join('/proc', id, file), 'utf8').catch(() => '');
}

/** @returns undefined if the process has ended */
function ownerOf(process: string): Promise<number | undefined> {
  return stat(join('/proc', process)).then(
    ({ uid }) => uid,
    () => undefined,
  );
}

/** On Windows those of all users. */
async function listedPrograms(platform: NodeJS.Platform, env: Environment): Promise<readonly string[]> {
  const [program, args] =
    platform === 'win32' ? ['tasklist', ['/FO', 'CSV', '/NH']] : ['ps', ['-x', '-o', 'comm=']];
  return programsIn((await outputOf({ env }, program, args, PROGRAM_TIMEOUT_MS)) ?? '');
}

/** The names in the output of `ps` or `tasklist`, without folders and without `.exe`. */
export function programsIn(output: string): readonly string[] {
  return output
    .split(/\r?\n/)
    .map((line) => basename(line.replace(/^"([^"]*)".*$/, '$1').trim()).replace(/\.exe$/i, ''));
}

/** A command line that a person can paste into a terminal, on Windows into a Command Prompt. */
export function commandLine(
  program: string,
  args: readonly string[],
  platform: NodeJS.Platform = currentPlatform(),
): string {
  const quoted = platform === 'win32' ? quotedOnWindows : shellQuoted;
  return [program, ...args].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word))).join(' ');
}

/** Backslashes count only before a quote. */
function quotedOnWindows(word: string): string {
  return `"${word.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/\\+$/, '$&$&')}"`;
}

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { installedProgram } from '@deskside/testkit';
import type { Host, Setting } from './hosts.ts';
import { type Conversation, scriptedModel, type Step } from './scripted-model.ts';

export const DESK = resolve(import.meta.dirname, '../../../apps/aggregator/dist/bin/cli.js');
/** With the display of a test in the place of the person's own. The parts of the built program cannot be replaced. */
const DESK_SOURCE = resolve(import.meta.dirname, '../../../apps/aggregator/src/cli.ts');
const PERSONS_DISPLAY = import.meta.resolve('@deskside/notify-popup/testing/persons-display');
const RECORDER = join(import.meta.dirname, 'recorder.ts');

const DESKSIDE_TOML = `
[mounts.manictime]
demo = true

[mcpServers.sample]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(join(import.meta.dirname, 'sample-server.ts'))}]

[profiles.search]
tools = "search"
`;

/** A line between host and server. */
export interface Line {
  readonly at: number;
  readonly side: 'host' | 'server';
  // oxlint-disable-next-line typescript/no-explicit-any -- messages of any host
  readonly message: Readonly<Record<string, any>>;
}

export interface Run extends Conversation {
  readonly lines: readonly Line[];
  readonly output: string;
}

export function installed({ install, bin }: Host): Promise<string> {
  return installedProgram(install, bin, join(homedir(), '.cache/deskside/hosts'));
}

/** What differs from a run in which every tool is allowed, without a screen and with all tools. */
interface Options {
  readonly isAllowed?: boolean;
  /** With the entry that `deskside connect` writes: the host is not told to wait for it, and it starts the desk. */
  readonly isConnected?: boolean;
  /** The variables that name the screen of the person's login session. */
  readonly screen?: Readonly<Record<string, string>>;
  /** Of the desk. */
  readonly profile?: 'search';
}

/** The variables of a new user with a home and perhaps a screen. */
export function userIn(home: string, screen: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    USER: 'bench',
    SHELL: '/bin/sh',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    ...screen,
  };
}

/** Runs a host once, in an empty home, against a model that makes the calls of the script. */
export async function driven(
  host: Host,
  script: readonly Step[],
  limitMs: number,
  { isAllowed = true, isConnected = false, screen, profile }: Options = {},
): Promise<Run> {
  using folder = temporaryFolder();
  const home = folder.path;
  const program = await installed(host);
  const project = join(home, 'my-project');
  const env = userIn(home, screen);
  write(home, '.config/deskside/deskside.toml', DESKSIDE_TOML);
  mkdirSync(project);
  await run(process.execPath, [DESK, 'apply', '--yes'], env, project, limitMs);
  await using model = await scriptedModel(script);
  const record = join(home, 'lines.jsonl');
  const args = [
    // As a host starts it, nothing is between them.
    ...(isConnected ? [] : [RECORDER, record, process.execPath]),
    ...(screen === undefined ? [DESK] : [`--import=${PERSONS_DISPLAY}`, DESK_SOURCE]),
    'stdio',
    ...(isConnected ? [] : ['--standalone']),
    ...(profile === undefined ? [] : ['--profile', profile]),
  ];
  const { DISPLAY = '', XAUTHORITY = '' } = screen ?? {};
  const given = [`TEST_DISPLAY=${DISPLAY}`, `TEST_XAUTHORITY=${XAUTHORITY}`];
  const setting = {
    home,
    project,
    model: model.url,
    server: { command: 'env', args: [...given, process.execPath, ...args] },
    isAllowed,
    isAwaited: !isConnected,
  };
  configure(host, setting);
  const output = await run(program, host.args(setting), { ...env, ...host.env?.(setting) }, project, limitMs);
  endLeftovers(home);
  const lines = existsSync(record) ? readFileSync(record, 'utf8').split('\n').flatMap(messageIn) : [];
  return { ...model.conversation, lines, output };
}

/** Writes the files of a host. */
export function configure(host: Host, setting: Setting): void {
  for (const [file, content] of Object.entries(host.files?.(setting) ?? {}))
    write(setting.home, file, content);
}

function write(home: string, file: string, content: unknown): void {
  const path = join(home, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
}

/** A host that tries other framings sends lines that are no messages. */
function messageIn(record: string): Line[] {
  try {
    const { line, ...rest } = JSON.parse(record) as Omit<Line, 'message'> & { readonly line: string };
    return [{ ...rest, message: JSON.parse(line) as Line['message'] }];
  } catch {
    return [];
  }
}

/** Some hosts start programs that outlive them, with the home of the run. */
export function endLeftovers(home: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (variables.includes(`HOME=${home}`)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended, or belongs to another user.
    }
  }
}

/** @returns the end of what it writes */
export function run(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
  limitMs: number,
): Promise<string> {
  const child = spawn(program, args, {
    env,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-1000)));
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => resolve(output));
  });
}

import { checkNode } from './node-floor.ts';
import { standardError, standardOutput } from './standard-streams.ts';
import { StartError } from './start-error.ts';

export interface Program {
  readonly name: string;
  readonly version: string;
  /** What `--help` prints. */
  readonly usage: string;
}

export interface Invocation {
  /** Without the program's own two, `--help` and `--version`. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** To stdout, with a line feed: what the person asked for. Never while stdio carries JSON-RPC. */
  readonly print: (text: string) => void;
  /** To stderr, as it is: the log. */
  readonly write: (text: string) => void;
}

function print(text: string): void {
  standardOutput().write(`${text}\n`);
}

function write(text: string): void {
  standardError().write(text);
}

/** The frame of every bin: the Node it needs, `--help`, `--version`, and one line for what stops a start. */
export async function runProgram(
  { name, version, usage }: Program,
  start: (invocation: Invocation) => Promise<void>,
): Promise<void> {
  const argv = process.argv.slice(2);
  // What stands behind `--` is data.
  const words = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  try {
    checkNode(process.versions.node);
    if (words.includes('--help') || words.includes('-h')) print(usage);
    else if (words.includes('--version')) print(version);
    else await start({ argv, env: process.env, print, write });
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    write(`${name}: ${error.message}\n`);
    process.exitCode = 1;
  }
}

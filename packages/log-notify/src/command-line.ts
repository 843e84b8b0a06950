import { parseArgs } from 'node:util';
import {
  defineOptions,
  type Flags,
  readFlags,
  readOptions,
  runProgram,
  type Setting,
  settingsHelp,
  StartError,
} from '@deskside/core';
import type { z } from 'zod';
import { CommandFailed, type CommandSpec, type Terminal } from './commands/command.ts';

/** Short forms that fingers know. */
const SHORT: Readonly<Record<string, string>> = { '-n': '--lines', '-f': '--follow' };

interface CommandLine {
  readonly flags: Flags;
  readonly operands: readonly string[];
}

/** Commands by their names; each is loaded when it is called for. */
const commands: Readonly<Record<string, (program: Program) => Promise<void>>> = {
  tail: async (program) => run((await import('./commands/tail.ts')).tail, program),
  send: async (program) => run((await import('./commands/send.ts')).send, program),
  render: async (program) => run((await import('./commands/render.ts')).render, program),
  check: async (program) => run((await import('./commands/check.ts')).check, program),
};

export const commandsHelp = `Commands, each with its own --help:
  tail      shows what models notify you about, as it comes
  send      notifies from a shell
  render    renders a Liquid template that notifies
  check     says what is wrong in the configuration, and what each sink would do`;

export interface Program {
  /** The bin's. */
  readonly name: string;
  readonly version: string;
  readonly terminal: Omit<Terminal, 'note' | 'env'>;
}

/** @returns undefined where the word is no command, so that the server is meant */
export function commandNamed(word: string | undefined): ((program: Program) => Promise<void>) | undefined {
  return word !== undefined && Object.hasOwn(commands, word) ? commands[word] : undefined;
}

async function run<Shape extends z.ZodRawShape>(
  { name, operands: form, help, flags: shape, run: runCommand }: CommandSpec<Shape>,
  program: Program,
): Promise<void> {
  const options = defineOptions('LOG_NOTIFY', shape);
  const line = ['Usage:', program.name, name, form, '[options]'].filter((part) => part !== '').join(' ');
  const usage = `${help}\n\n${line}\n\nOptions:\n${settingsHelp(options.settings)}\n  --help\n  --version`;
  const names = { name: `${program.name} ${name}`, version: program.version, usage };
  await runProgram(names, async ({ argv, env, write }) => {
    const { flags, operands } = readLine(options.settings, argv.slice(1));
    const values = readOptions(options, { flags, env });
    try {
      await runCommand(values, operands, { ...program.terminal, env, note: (line) => write(`${line}\n`) });
    } catch (error) {
      throw error instanceof CommandFailed ? new StartError(error.message, { cause: error }) : error;
    }
  });
}

/** Flags may stand before, between and behind the operands; after `--` everything is an operand. */
function readLine(settings: readonly Setting[], argv: readonly string[]): CommandLine {
  const args = argv.map((word) => SHORT[word] ?? word);
  const options = Object.fromEntries(
    settings.flatMap(({ flag, placeholder }) =>
      flag === undefined ? [] : [[flag, { type: placeholder === undefined ? 'boolean' : 'string' } as const]],
    ),
  );
  const { tokens, positionals } = parseArgs({
    args,
    options,
    strict: false,
    allowPositionals: true,
    allowNegative: true,
    tokens: true,
  });
  const apart = new Set(tokens.filter(({ kind }) => kind !== 'option').map(({ index }) => index));
  return {
    flags: readFlags(
      settings,
      args.filter((_, index) => !apart.has(index)),
    ),
    operands: positionals,
  };
}

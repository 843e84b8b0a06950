import { defineOptions, readOptions, runProgram, settingsHelp, StartError } from '@deskside/core';
import type { z } from 'zod';
import { CommandFailed, type CommandSpec, type Terminal } from './commands/command.ts';
import { watchOutput } from './commands/output.ts';
import { readLine } from './read-line.ts';
import { neutralize } from './message/neutralize.ts';

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
  readonly terminal: Pick<Terminal, 'input' | 'output'>;
}

/** @returns undefined where no command is named, so that the server is meant */
export function commandNamed(word: string | undefined): ((program: Program) => Promise<void>) | undefined {
  if (word === undefined || word.startsWith('-')) return undefined;
  return Object.hasOwn(commands, word) ? commands[word] : (program) => refuse(word, program);
}

async function refuse(word: string, { name, version }: Program): Promise<void> {
  await runProgram({ name, version, usage: commandsHelp }, async () => {
    const names = Object.keys(commands).join(', ');
    throw new StartError(`"${neutralize(word, 80)}" is no command; there are ${names}. See --help.`);
  });
}

async function run<Shape extends z.ZodRawShape>(
  { name, operands: form, help, flags: shape, letters = {}, run: runCommand }: CommandSpec<Shape>,
  program: Program,
): Promise<void> {
  const options = defineOptions('LOG_NOTIFY', shape);
  const line = ['Usage:', program.name, name, form, '[options]'].filter((part) => part !== '').join(' ');
  const usage = `${help}\n\n${line}\n\nOptions:\n${settingsHelp(options.settings)}\n  --help\n  --version`;
  const names = { name: `${program.name} ${name}`, version: program.version, usage };
  const { input, output } = program.terminal;
  const { closed, written } = watchOutput(output);
  await runProgram(names, async ({ argv, env, write }) => {
    const { flags, operands } = readLine(options.settings, letters, argv.slice(1));
    const [extra] = form === '' ? operands : [];
    if (extra !== undefined) throw new StartError(`Unexpected argument '${extra}'. See --help.`);
    const values = readOptions(options, { flags, env });
    try {
      const note = (line: string) => write(`${line}\n`);
      await runCommand(values, operands, { input, output, closed, env, note });
      await written();
    } catch (error) {
      throw error instanceof CommandFailed ? new StartError(error.message, { cause: error }) : error;
    }
  });
}

import type { Command, CommandContext, Program } from '@deskside/core/program';
import { StartError } from '@deskside/core/errors';
import { loadConfig } from '../config/load.ts';
import { builtInCommands } from '../mounts/built-in.ts';
import { configIn } from '../options.ts';

/** Commands of a mount's program under the name of `deskside`. */
interface Forward {
  readonly mount: string;
  /** How its texts call it, for example `deskside-todo`. */
  readonly bin: string;
  /** How a person calls it here. */
  readonly typed: string;
}

/** All commands of a mount's program behind one word. */
export async function forwardedCommands(forward: Forward): Promise<Pick<Program, 'commands'>> {
  return allRenamed(await builtInCommands(forward.mount), forward);
}

function allRenamed(commands: Program['commands'], forward: Forward): Pick<Program, 'commands'> {
  const entries = Object.entries(commands).map(([name, entry]) => {
    const load = async () => {
      const loaded = await entry.load();
      return 'commands' in loaded ? allRenamed(loaded.commands, forward) : renamed(loaded, forward);
    };
    return [name, { ...entry, load }] as const;
  });
  return { commands: Object.fromEntries(entries) };
}

/** One command of a mount's program. */
export async function forwardedCommand(name: string, forward: Forward): Promise<Command> {
  const entry = (await builtInCommands(forward.mount))[name];
  if (entry === undefined) throw new StartError(`${forward.bin} has no command ${name}.`);
  const loaded = await entry.load();
  if ('commands' in loaded) throw new StartError('These are several commands.');
  return renamed(loaded, { ...forward, bin: `${forward.bin} ${name}` });
}

function renamed(command: Command, { mount, bin, typed }: Forward): Command {
  const rename = (text: string) => text.replaceAll(bin, typed);
  const run: Command['run'] = async (flags, context) => {
    const inside = await inMount(mount, context);
    // Other commands print what a person wrote.
    const print = (line: string) => context.print(withTypedNames(line));
    const own: CommandContext =
      command.report === undefined ? inside : Object.create(inside, { print: { value: print } });
    try {
      return await command.run(flags, own);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      throw new StartError(withTypedNames(error.message), { cause: error });
    }
  };
  return {
    ...command,
    details: command.details === undefined ? undefined : rename(command.details),
    examples: command.examples.map(rename),
    run,
  };
}

/** Advice of a mount's own program, with the names of commands that a person has here. */
export function withTypedNames(advice: string): string {
  return advice.replaceAll(/(?<![\w./\\-])deskside-(?:log-)?(notify|todo) (?=[a-z])/g, 'deskside $1 ');
}

/** The settings of deskside.toml hold for these commands, too: they must not read another database. */
export async function inMount(
  mount: string,
  context: CommandContext,
  config = configIn(context.env),
): Promise<CommandContext> {
  const settings = (await loadConfig(config))?.config.settings[mount];
  // The context is not copied: reading its streams opens stdin and stdout.
  const inside: CommandContext = Object.create(context, { settings: { value: settings } });
  return settings === undefined ? context : inside;
}

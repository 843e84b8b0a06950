import type { Command, CommandContext, CommandEntry } from '@deskside/core/program';
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

type Loaded = Awaited<ReturnType<CommandEntry['load']>>;

/** All commands of a mount's program behind one word, or the one that is named. */
export async function forwarded({ bin, ...forward }: Forward, name?: string): Promise<Loaded> {
  const commands = await builtInCommands(forward.mount);
  const entry = name === undefined ? undefined : commands[name];
  if (entry === undefined) return allRenamed({ commands }, { ...forward, bin });
  return allRenamed(await entry.load(), { ...forward, bin: `${bin} ${name}` });
}

function allRenamed(loaded: Loaded, forward: Forward): Loaded {
  if (!('commands' in loaded)) return renamed(loaded, forward);
  const entries = Object.entries(loaded.commands).map(([name, entry]) => {
    const load = async () => allRenamed(await entry.load(), forward);
    return [name, { ...entry, load }] as const;
  });
  return { commands: Object.fromEntries(entries) };
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

import type { Writable } from 'node:stream';
import type { z } from 'zod';
import { systemClock } from '../base/clock.ts';
import { isOldNode, NODE_FLOOR } from '../base/values.ts';
import { errnoOf, messageOf, remedyOf, StartError, UserError } from '../errors/index.ts';
import { escapeInvisibleLines, isBlank, quoted } from '../text/index.ts';
import { standardError, standardOutput, writeStandardError } from '../serving/process/standard-streams.ts';
import { followTimeZone } from '../serving/process/time-zone.ts';
import { type Help, helpText } from './help.ts';
import { combineOptions, defineFlags, type Options, type Setting } from './options.ts';
import {
  type Arguments,
  type Flags,
  type OptionSources,
  readArguments,
  readOptions,
} from './read-options.ts';
import { suggestionFor } from './suggest.ts';

/** What a command may use of the process that it runs in. */
export interface CommandContext {
  readonly operands: readonly string[];
  /** How many operands are before `--`; -1 without it, undefined if it is not known. */
  readonly separatedAt?: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Settings of the server by their names, from a configuration file. Flags and variables take precedence. */
  readonly settings?: OptionSources['file'];
  readonly input: AsyncIterable<string | Uint8Array>;
  /** stdout: results only. Never used while stdio carries JSON-RPC. */
  readonly output: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /** Aborted when the reader of the output is gone, as with `| head`. */
  readonly closed: AbortSignal;
  /** A line on stdout. */
  readonly print: (line: string) => void;
  /** A line on stderr. */
  readonly note: (line: string) => void;
  /** Text on stderr, unchanged: the log. */
  readonly write: (text: string) => void;
}

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- the shape of no fields
type NoFields = Record<never, never>;

export interface CommandSpec<Own extends z.ZodRawShape = NoFields, Server extends z.ZodRawShape = NoFields> {
  /** The command's own arguments as Zod fields, each with `.meta({ description, … })`. They are flags only. */
  readonly flags?: Own;
  /** Settings of the server that the command respects, with their environment variables. */
  readonly options?: Options<z.ZodObject<Server>>;
  /**
   * The words that follow the options, as the help shows them: `NAME FILE`, `[NAME]`, `MESSAGE...`. Default: none are accepted.
   * If all are required, `run` gets as many.
   */
  readonly operands?: string;
  /** Paragraphs behind the summary in the help. */
  readonly details?: string;
  /** Whole command lines. */
  readonly examples?: readonly string[];
  /**
   * @returns the exit code, default 0
   * @throws UserError, StartError or an error of the system: one line on stderr and exit code 1
   */
  readonly run: (
    values: z.output<z.ZodObject<Own & Server>>,
    context: CommandContext,
  ) => Promise<number | void>;
}

/** One line of a doctor, or several: each line of the value is one. Details are for `--all`. */
export type DoctorFact = readonly [label: string, value: string, kind?: 'detail'];

/** What `doctor` found out about the environment. */
export interface DoctorReport {
  /** `deskside-todo 1.2.0` */
  readonly program: string;
  readonly facts: readonly DoctorFact[];
  readonly problems: readonly { readonly problem: string; readonly remedy: string }[];
  /** False if the program cannot work: exit code 1. Default: true without problems. */
  readonly works?: boolean;
}

/** A command as data, without the generics of its options. */
export interface Command {
  readonly settings: readonly Setting[];
  readonly operands: string;
  readonly details: string | undefined;
  readonly examples: readonly string[];
  run(flags: Flags, context: CommandContext): Promise<number | void>;
  /** Of a `doctor`: what it prints, as data. */
  readonly report?: (flags: Flags, context: CommandContext) => Promise<DoctorReport>;
}

export function defineCommand<Own extends z.ZodRawShape = NoFields, Server extends z.ZodRawShape = NoFields>(
  spec: CommandSpec<Own, Server>,
): Command {
  const { operands = '', details, examples = [] } = spec;
  const none = defineFlags({});
  const own = spec.flags === undefined ? none : defineFlags(spec.flags);
  const server = spec.options ?? none;
  const options = combineOptions<z.ZodRawShape, z.ZodRawShape>(own, server);
  return {
    settings: options.settings,
    operands,
    details,
    examples,
    async run(flags, context) {
      const { env, settings = {} } = context;
      checkWords(operands, context.operands);
      const known = server.settings.map(({ key }) => [key, settings[key]] as const);
      const values = readOptions(options, { flags, env, file: Object.fromEntries(known) });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these are the fields of both shapes
      return spec.run(values as z.output<z.ZodObject<Own & Server>>, context);
    },
  };
}

/** @throws StartError if a command whose words are all required gets more, fewer, or a blank one */
function checkWords(usage: string, words: readonly string[]): void {
  const required = usage.split(' ');
  const isFree = /^$|\[|\.{3}|\|/.test(usage);
  if (isFree || (words.length === required.length && !words.some(isBlank))) return;
  const more = words.length > required.length ? ', a text with spaces in quotation marks' : '';
  throw new StartError(
    `Pass ${required.length === 1 ? 'one ' : ''}${required.join(' and ')}${more}. See --help.`,
  );
}

/** A command in the list of a program; its module is loaded when it is called. */
export interface CommandEntry {
  /** One sentence. */
  readonly summary: string;
  /** The heading of the help that it stands under. Default: `Commands`. */
  readonly group?: string;
  /** Further commands follow the words of this one. */
  readonly load: () => Promise<Command | Pick<Program, 'commands'>>;
}

export interface Program {
  /** The bin's name. */
  readonly name: string;
  readonly version: string;
  /** One sentence, the first of the help. */
  readonly summary: string;
  /** By their words: `tail`, `token show`. */
  readonly commands: Readonly<Record<string, CommandEntry>>;
  /** Runs if no command is named. */
  readonly main?: Command | undefined;
}

/**
 * The frame of every bin: the Node.js version, commands, `--help`, `--version`, one line on stderr for a failed start,
 * and exit codes.
 */
export async function runProgram(program: Program): Promise<void> {
  const argv = process.argv.slice(2);
  const output = watchOutput();
  let name = program.name;
  try {
    checkNode(process.versions.node);
    const found = await findCommand(program, argv);
    const { words, command, rest } = found;
    name = found.program.name;
    if (words !== '') name = `${name} ${words}`;
    const flags = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
    if (flags.includes('--help') || flags.includes('-h')) {
      output.print(helpText(helpOf(found.program, words, command), process.stdout.columns));
    } else if (flags.includes('--version') || flags.includes('-v')) output.print(program.version);
    else if (command === undefined) throw noCommand(found.program, rest);
    else {
      const args = readArguments(command.settings, rest);
      const [operand, next] = command.operands === '' ? args.operands : [];
      if (operand !== undefined) throw unexpected(found.program, words, operand, next);
      // Some commands run for days. `serve` does so for a program without this frame.
      followTimeZone(process.env, systemClock);
      const code = await command.run(args.flags, contextOf(output, args));
      if (typeof code === 'number') process.exitCode = code;
      // Who ended it by a signal does not wait for a reader of its output that does not read.
      if (typeof code === 'number' && code > 128) process.exit();
    }
    await output.written();
  } catch (error) {
    const line = escapeInvisibleLines(lineFor(error) ?? '');
    if (line === '') throw error;
    standardError().write(`${name}: ${line}\n`);
    process.exitCode = 1;
  }
}

/** @throws StartError on a Node.js that is too old */
function checkNode(version: string): void {
  if (!isOldNode(version)) return;
  throw new StartError(
    `This program needs Node.js ${NODE_FLOOR.join('.')} or newer; this is ${version}. Get one from https://nodejs.org`,
  );
}

/** The only place where an error becomes the line that ends a program. */
function lineFor(error: unknown): string | undefined {
  if (UserError.is(error)) return error.sentence();
  if (error instanceof StartError) return error.message;
  // The system refuses something: the disk is full, or read-only. Other errors are defects.
  const isOfSystem = error instanceof Error && 'syscall' in error && errnoOf(error) !== undefined;
  return isOfSystem ? `${[messageOf(error), remedyOf(error) ?? []].flat().join('. ')}.` : undefined;
}

interface Found {
  /** The one that has the command. */
  readonly program: Program;
  /** The command's own words, empty for the program itself. */
  readonly words: string;
  readonly command: Command | undefined;
  readonly rest: readonly string[];
}

async function findCommand(program: Program, argv: readonly string[]): Promise<Found> {
  const { name, commands, main } = program;
  const names = Object.keys(commands).toSorted((a, b) => b.length - a.length);
  const words = names.find((each) => argv.slice(0, each.split(' ').length).join(' ') === each);
  const entry = words === undefined ? undefined : commands[words];
  if (words === undefined || entry === undefined) {
    const isHelp = argv[0] === 'help' && (main === undefined || main.operands === '');
    if (isHelp) return findCommand(program, [...argv.slice(1), '--help']);
    return { program, words: '', command: main, rest: argv };
  }
  const rest = argv.slice(words.split(' ').length);
  const loaded = await entry.load();
  if (!('commands' in loaded)) return { program, words, command: loaded, rest };
  const { summary } = entry;
  return findCommand({ ...program, ...loaded, main: undefined, name: `${name} ${words}`, summary }, rest);
}

function helpOf(
  { name, summary, commands, main }: Program,
  words: string,
  command: Command | undefined,
): Help {
  const { settings = [], operands = '', details, examples } = command ?? {};
  const entries = words === '' ? Object.entries(commands) : [];
  const own = [operands, '[options]'].filter((part) => part !== '').join(' ');
  return {
    name: words === '' ? name : `${name} ${words}`,
    summary: words === '' ? summary : (commands[words]?.summary ?? ''),
    usages: [
      ...(words === '' && main === undefined ? [] : [own]),
      ...(entries.length === 0 ? [] : ['<command> [options]']),
    ],
    commands: entries.map(([entry, { summary: text, group }]) => [entry, text, group] as const),
    settings,
    details,
    examples,
  };
}

function noCommand(program: Program, [word, next]: readonly string[]): StartError {
  const { name, commands } = program;
  if (word !== undefined) return unexpected(program, '', word, next);
  return new StartError(
    `Missing command. Commands: ${Object.keys(commands).join(', ')}. See ${name} --help.`,
  );
}

function unexpected({ name, commands }: Program, words: string, word: string, next = '-'): StartError {
  const names = Object.keys(commands);
  if (words !== '' || names.length === 0)
    return new StartError(`Unexpected argument ${quoted(word)}. See ${`${name} ${words}`.trim()} --help.`);
  if (names.includes(word)) return new StartError(`Put ${quoted(word)} first: ${name} ${word} [options].`);
  // `token` is the start of `token show`, and no slip of `open`.
  const starts = names.filter((each) => each.startsWith(`${word} `));
  const isGroup = starts.length > 1;
  const all = `Commands: ${(isGroup ? starts : names).join(', ')}. See ${name} --help.`;
  if (word.startsWith('-')) return new StartError(`Put the command before ${quoted(word)}. ${all}`);
  if (isGroup && next.startsWith('-')) return new StartError(`Incomplete command ${quoted(word)}. ${all}`);
  const typed = isGroup ? `${word} ${next}` : word;
  const suggestion = suggestionFor(typed, starts.length > 0 ? starts : names);
  return new StartError(`Unknown command ${quoted(typed)}.${suggestion} ${all}`);
}

/** stdout, opened at first use: opening it takes milliseconds. Without a listener, a failed write ends the process. */
function watchOutput() {
  const closing = new AbortController();
  let opened: NodeJS.WriteStream | undefined;
  let failure: Error | undefined;
  const stream = () => {
    if (opened !== undefined) return opened;
    opened = standardOutput();
    opened.on('error', (error) => {
      failure ??= error;
      closing.abort();
    });
    return opened;
  };
  return {
    closed: closing.signal,
    stream,
    print: (line: string) => void stream().write(`${line}\n`),
    /** @throws StartError if something could not be written, unless its reader left */
    async written() {
      if (opened === undefined) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      opened.write('', () => resolve());
      await promise;
      const code = errnoOf(failure);
      if (failure !== undefined && code !== 'EPIPE') {
        throw new StartError(`The output cannot be written (${code ?? failure.message}).`);
      }
    },
  };
}

/** Opens stdin and stdout only if the command uses them. */
function contextOf(
  { closed, print, stream }: ReturnType<typeof watchOutput>,
  { operands, separatedAt }: Arguments,
): CommandContext {
  return {
    operands,
    separatedAt,
    env: process.env,
    get input() {
      return process.stdin;
    },
    get output() {
      return stream();
    },
    closed,
    print,
    note: (line) => writeStandardError(`${line}\n`),
    write: writeStandardError,
  };
}

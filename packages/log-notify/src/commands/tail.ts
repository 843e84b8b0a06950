import { statSync } from 'node:fs';
// oxlint-disable-next-line eslint/no-restricted-imports -- the signals that end a command
import process from 'node:process';
import {
  choiceField,
  type CommandContext,
  defineCommand,
  integerField,
  pickOptions,
} from '@deskside/core/program';
import { openUserJournal } from '@deskside/desktop';
import { createLog } from '@deskside/core';
import { errnoOf, StartError } from '@deskside/core/errors';
import * as z from 'zod';
import { namedFile, readConfiguration } from '../config/config-file.ts';
import { createFilter, parseFilter } from '../config/filter.ts';
import { ownIdleMs } from '../log-notify.ts';
import { filter, type LogNotifyOptions, logNotifyOptions, pathsFor } from '../options.ts';
import { jsonLine, parseJsonLine } from '../notification/json-line.ts';
import type { Notification } from '../notification/notification.ts';
import { terminalLine } from '../notification/terminal-line.ts';
import { FOLLOWER_PERIOD_MS, markFollowed } from '../sinks/file/followers.ts';
import { rotatedPath } from '../sinks/file/rotation.ts';
import { lastLines, openFile } from '../tail/file-reader.ts';
import { follow } from '../tail/follow.ts';
import { seenInTerminal } from '../tail/seen.ts';

const MAX_LINES = 10_000;

const ownFlags = {
  filter: filter.optional().meta({
    placeholder: 'FILTER',
    description:
      'Show only these notifications, for example "warn,[{context=safety}]=info". Notifications that the server filtered out are not in the file.',
  }),
  lines: integerField(0, MAX_LINES)
    .default(10)
    .meta({ short: 'n', placeholder: 'N', description: 'Number of latest notifications to start with.' }),
  follow: z.boolean().default(true).meta({
    short: 'f',
    description: 'Continue with new notifications. With --no-follow, print the latest ones and exit.',
  }),
  json: z.boolean().default(false).meta({ description: 'Print JSON lines instead of text.' }),
  color: choiceField(['auto', 'always', 'never']).default('auto').meta({
    placeholder: 'WHEN',
    description: 'Colors: always, never, or auto (as the terminal, NO_COLOR and FORCE_COLOR say).',
  }),
};

const fileOptions = pickOptions(logNotifyOptions, ({ config, file }) => ({ config, file }));

type TailFlags = z.output<z.ZodObject<typeof ownFlags>>;

export const tail = defineCommand({
  options: fileOptions,
  flags: ownFlags,
  details:
    'Keep it open in a terminal next to your work. Ctrl+C ends it. Of the TOML file it reads only the path of the JSON lines file.',
  examples: [
    'deskside-log-notify tail',
    "deskside-log-notify tail --filter 'warn,[{context=safety}]=info'",
    'deskside-log-notify tail -n 100 --no-follow --json | jq .message',
  ],
  async run(flags, context) {
    const isWanted = createFilter(parseFilter(flags.filter ?? '').directives);
    const parse = (line: string) => {
      const parsed = parseJsonLine(line);
      return parsed !== undefined && isWanted(parsed.level, parsed.context) ? parsed : undefined;
    };
    const path = findFile(flags, context.note);
    try {
      return await showFile(path, flags, parse, context);
    } catch (error) {
      throw unreadable(path, error);
    }
  },
});

/** @throws an error that is not one of the system */
function unreadable(path: string, error: unknown): StartError {
  const code = errnoOf(error);
  if (code === undefined || !(error instanceof Error && 'syscall' in error)) throw error;
  return new StartError(`${path} cannot be read (${code}).`, { cause: error });
}

/** @returns the exit code */
async function showFile(
  path: string,
  flags: TailFlags,
  parse: (line: string) => Notification | undefined,
  context: CommandContext,
): Promise<number> {
  await using seen = seenInTerminal({
    journal: openUserJournal(createLog({ level: 'warn', write: context.write })),
    idleMs: ownIdleMs,
  });
  const isRead = !flags.json && context.output.isTTY === true;
  const colorsOf = flags.color === 'auto' ? context.output : flags.color === 'always';
  const show = (shown: Notification) => {
    const line = flags.json ? `${jsonLine(shown)}\n` : terminalLine(shown, { colorsOf, clock: 'local' });
    context.output.write(line);
    if (isRead) seen.add(shown);
  };
  const newest = (await openFile(path, 'end')) ?? (await openFile(rotatedPath(path, 1), 'end'));
  if (flags.follow && newest === undefined) context.note(`Waiting for ${path}. To try it: send Hello`);
  const showLatest = async () => {
    for (const each of await lastLines(path, newest, flags.lines, parse)) show(each);
  };
  if (!flags.follow) {
    await showLatest();
    await newest?.close();
    return 0;
  }
  using ending = endOnSignal();
  // Before its first line: who reads that counts on it.
  markFollowed(path);
  const timer = setInterval(() => markFollowed(path), FOLLOWER_PERIOD_MS);
  const failed = (error: unknown) => context.note(unreadable(path, error).message);
  const closed = AbortSignal.any([context.closed, ending.signal]);
  try {
    await showLatest();
    for await (const line of follow(path, newest, failed, closed)) {
      const parsed = parse(line);
      if (parsed !== undefined) show(parsed);
    }
  } finally {
    clearInterval(timer);
    markFollowed(path, new Date(0));
  }
  return Number(ending.signal.reason ?? 0);
}

/** 128 and the number of the signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** The first signal ends what follows the file, which must not count as followed any more; a second one the process. */
function endOnSignal() {
  const ending = new AbortController();
  const release = () => {
    for (const signal of Object.keys(EXIT_CODES)) process.off(signal, end);
  };
  for (const signal of Object.keys(EXIT_CODES)) process.on(signal, end);
  return { signal: ending.signal, [Symbol.dispose]: release };

  function end(signal: keyof typeof EXIT_CODES): void {
    release();
    ending.abort(EXIT_CODES[signal]);
  }
}

function findFile(options: LogNotifyOptions, note: CommandContext['note']): string {
  const { config: configured, file: path } = options;
  if (path !== undefined) return path;
  const defaults = pathsFor(options);
  const configPath = configured ?? defaults.config;
  const { configuration, problems } = readConfiguration(configPath, configured !== undefined);
  if (configuration === undefined && configured !== undefined) {
    throw new StartError(`${configPath}: ${problems.join(' ')}`);
  }
  for (const problem of problems) note(`${configPath}: ${problem}`);
  return namedFile(configuration) ?? newestDefault(defaults, note);
}

/**
 * A host starts servers without the shell's XDG_STATE_HOME: then the server writes to the folder that the specification
 * names. The file that was written last is the right one.
 */
function newestDefault(
  { file, environmentFree }: ReturnType<typeof pathsFor>,
  note: (line: string) => void,
): string {
  if (writtenAt(environmentFree) <= writtenAt(file)) return file;
  note(`Following ${environmentFree}, which a server without XDG_STATE_HOME writes.`);
  return environmentFree;
}

function writtenAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

import { z } from 'zod';
import { readConfiguration } from '../configuration/read-configuration.ts';
import { filterOf } from '../filter/filter.ts';
import { parseFilter } from '../filter/parse-filter.ts';
import { defaultPaths } from '../log-notify.ts';
import { jsonLine, readJsonLine } from '../message/json-line.ts';
import { gravity, LEVELS } from '../message/levels.ts';
import type { Notification } from '../message/notification.ts';
import { terminalLine } from '../message/terminal-line.ts';
import { follow } from '../tail/follow.ts';
import { lastLines, openNewest } from '../tail/last-lines.ts';
import { alertBytes, alertOf, ALERTS } from '../tail/terminal-alert.ts';
import { CommandFailed, type CommandSpec, type Terminal } from './command.ts';
import { sharedFlags } from './flags.ts';

const COLOURS = ['auto', 'always', 'never'] as const;
const ALERT_CHOICES = ['off', 'auto', ...ALERTS] as const;

const flags = {
  filter: z.string().optional().meta({
    placeholder: 'FILTER',
    description:
      'What is shown: "warn,[{context=safety}]=info". What the server itself held back is not in the file.',
  }),
  lines: z.coerce
    .number({ error: 'use a number from 0' })
    .int({ error: 'use a whole number from 0' })
    .min(0, { error: 'use a number from 0' })
    .max(10_000, { error: 'use a number up to 10000' })
    .default(10)
    .meta({
      placeholder: 'N',
      description: 'How many of the latest notifications to start with; also -n N.',
    }),
  follow: z.boolean().default(true).meta({
    description:
      'Go on with what comes, which is what it does anyway; also -f. --no-follow prints the latest and ends.',
  }),
  json: z.boolean().default(false).meta({ description: 'Print JSON lines instead of lines for people.' }),
  color: z
    .enum(COLOURS, { error: `use one of ${COLOURS.join(', ')}` })
    .default('auto')
    .meta({
      placeholder: 'WHEN',
      description: 'Colours: auto (on a terminal, unless NO_COLOR is set), always or never.',
    }),
  alert: z
    .enum(ALERT_CHOICES, { error: `use one of ${ALERT_CHOICES.join(', ')}` })
    .default('off')
    .meta({
      placeholder: 'KIND',
      description:
        'Raise a notification of the terminal for what comes: auto, osc9 (iTerm2, WezTerm, Ghostty), osc777 (GNOME Terminal and others on VTE, foot), osc99 (kitty), bell, or off.',
    }),
  alertLevel: z
    .enum(LEVELS, { error: `use one of ${LEVELS.join(', ')}` })
    .default('warn')
    .meta({
      placeholder: 'LEVEL',
      description: 'The mildest level that raises one.',
    }),
  ...sharedFlags,
  config: sharedFlags.config.meta({
    ...sharedFlags.config.meta(),
    description:
      'TOML file of the server; tail takes the path of the JSON lines file from it, and no filter.',
  }),
};

export const tail: CommandSpec<typeof flags> = {
  name: 'tail',
  operands: '',
  help: `Shows what models notify you about, as it comes, from every server that writes the file.

Keep it open in a terminal beside your work. Ctrl+C ends it.

  deskside-log-notify tail
  deskside-log-notify tail --filter 'warn,[{context=safety}]=info' --alert auto
  deskside-log-notify tail -n 100 --no-follow --json | jq .message`,
  flags,
  letters: { lines: 'n', follow: 'f' },
  async run(flags, _operands, terminal) {
    const { directives, problems } = parseFilter(flags.filter ?? '');
    for (const problem of problems) terminal.note(problem);
    const isWanted = filterOf(directives);
    const read = (line: string) => {
      const found = readJsonLine(line);
      return found !== undefined && isWanted(found.level, found.context) ? found : undefined;
    };
    const path = pathOf(flags, terminal);
    try {
      await showFile(path, flags, read, terminal);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error;
      throw new CommandFailed(`${path} can't be read (${String(error.code)})`, { cause: error });
    }
  },
};

type TailFlags = z.output<z.ZodObject<typeof flags>>;

async function showFile(
  path: string,
  flags: TailFlags,
  read: (line: string) => Notification | undefined,
  terminal: Terminal,
): Promise<void> {
  const show = printer(flags, terminal);
  const newest = await openNewest(path);
  for (const each of await lastLines(path, newest, flags.lines, read)) show(each);
  if (!flags.follow) return newest?.close();
  const alert = alerter(flags, terminal);
  for await (const line of follow(path, newest, terminal.closed)) {
    const found = read(line);
    if (found === undefined) continue;
    show(found);
    alert(found);
  }
}

function pathOf({ config, file }: TailFlags, { note }: Terminal): string {
  if (file !== undefined) return file;
  const defaults = defaultPaths();
  const path = config ?? defaults.config;
  const { configuration, problems } = readConfiguration(path, config !== undefined);
  if (configuration === undefined && config !== undefined) {
    throw new CommandFailed(`${path}: ${problems.join(' ')}`);
  }
  for (const problem of problems) note(`${path}: ${problem}`);
  return configuration?.file?.path ?? defaults.file;
}

function printer({ json, color }: TailFlags, { output, env }: Terminal): (shown: Notification) => void {
  const isColourful = output.isTTY === true && (env['NO_COLOR'] ?? '') === '';
  const colour = color === 'always' || (color === 'auto' && isColourful);
  return (shown) => {
    output.write(json ? `${jsonLine(shown)}\n` : terminalLine(shown, { colour, clock: 'time' }));
  };
}

function alerter(
  { alert, alertLevel }: TailFlags,
  { output, env }: Terminal,
): (alerted: Notification) => void {
  // Never into a pipe or a file: an alert is for the terminal alone.
  if (alert === 'off' || output.isTTY !== true) return () => undefined;
  const kind = alert === 'auto' ? alertOf(env) : alert;
  const isInTmux = (env['TMUX'] ?? '') !== '';
  return (alerted) => {
    if (gravity(alerted.level) >= gravity(alertLevel)) output.write(alertBytes(kind, alerted, isInTmux));
  };
}

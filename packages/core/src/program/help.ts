import type { Setting } from './options.ts';

const MAX_WIDTH = 100;

/** What the help of a program or of one of its commands shows. */
export interface Help {
  /** `deskside-log-notify tail` */
  readonly name: string;
  readonly summary: string;
  /** Usage lines behind the name: `[options]`, `<command> [options]`. */
  readonly usages: readonly string[];
  readonly details?: string | undefined;
  readonly commands?: readonly (readonly [name: string, summary: string, group?: string | undefined])[];
  readonly settings: readonly Setting[];
  /** Whole command lines. */
  readonly examples?: readonly string[] | undefined;
}

/** A group of commands of which the help shows only the names. */
const OTHERS = 'Others';

function namesOf(commands: NonNullable<Help['commands']>, width: number): string {
  return wrap(commands.map(([command]) => command).join(', '), width - 2).replaceAll(/^/gm, '  ');
}

/** The text of `--help`, wrapped to the terminal. Some terminals say that they have 0 columns. */
export function helpText(help: Help, columns?: number): string {
  const { name, summary, usages, details, commands = [], settings, examples = [] } = help;
  const width = Math.min(Math.max(columns || 80, 40), MAX_WIDTH);
  const nameWidth = Math.max(...commands.map(([command]) => command.length), 0) + 2;
  const entry = ([command = '', text = '']: readonly (string | undefined)[]) =>
    `  ${command.padEnd(nameWidth)}${wrap(text, width - nameWidth - 2).replaceAll('\n', `\n${' '.repeat(nameWidth + 2)}`)}`;
  const sections = [
    wrap(summary, width),
    usages
      .map((usage, index) => `${index === 0 ? 'Usage: ' : '       '}${name} ${usage}`.trimEnd())
      .join('\n'),
    details === undefined ? '' : wrap(details, width),
    ...[...Map.groupBy(commands, ([, , group = 'Commands']) => group)].map(([title, members]) =>
      section(title, title === OTHERS ? [namesOf(members, width)] : members.map(entry)),
    ),
    section('Options', [
      ...settings.map((setting) => settingHelp(setting, width)),
      '  -h, --help\n      Show this help.',
      '  -v, --version\n      Show the version.',
    ]),
    section(
      'Examples',
      examples.map((line) => `  ${line}`),
    ),
    commands.length === 0 ? '' : `See ${name} <command> --help for the options of a command.`,
  ];
  return sections.filter((text) => text !== '').join('\n\n');
}

function section(title: string, entries: readonly string[]): string {
  return entries.length === 0 ? '' : [`${title}:`, ...entries].join('\n');
}

function settingHelp(setting: Setting, width: number): string {
  const { flag, short, env, placeholder, description } = setting;
  const shown = defaultOf(setting);
  const name = flag === undefined ? `${env}=${placeholder}` : flagForm(setting);
  const head = `  ${short === undefined ? '' : `-${short}, `}${name}`;
  const note = shown === undefined ? '' : `(default: ${shown})`;
  const fits = head.length + 1 + note.length <= width;
  const source = flag === undefined ? 'Environment only.' : env === undefined ? '' : `Environment: ${env}.`;
  // A long path gets a separate line.
  const first = note === '' ? head : `${head}${fits ? ' ' : '\n      '}${note}`;
  return `${first}\n${wrap(`${description} ${source}`.trim(), width - 6).replaceAll(/^/gm, '      ')}`;
}

/** `--port PORT`, `--plain`, `--history / --no-history`. */
export function flagForm({ flag, placeholder, default: value }: Setting): string {
  if (placeholder !== undefined) return `--${flag} ${placeholder}`;
  return value === true ? `--${flag} / --no-${flag}` : `--${flag}`;
}

/** The default as a person reads it, undefined if there is none. */
export function defaultOf({ placeholder, default: value, defaultText }: Setting): string | undefined {
  if (placeholder === undefined) return value === true ? 'on' : 'off';
  if ((typeof value === 'string' && value !== '') || typeof value === 'number') return String(value);
  return defaultText;
}

/** Breaks lines at spaces. Lines that begin with a space are examples and stay whole. */
function wrap(text: string, width: number): string {
  const part = new RegExp(`(.{1,${width}}|\\S+)(?: |$)`, 'g');
  const lines = text.split('\n').map((line) => (line.startsWith(' ') ? [line] : (line.match(part) ?? [''])));
  return lines
    .flat()
    .map((line) => line.trimEnd())
    .join('\n');
}

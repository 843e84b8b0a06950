import type { z } from 'zod';
import { escapeInvisible } from '../text/index.ts';
import type { Options, Setting } from './options.ts';
import type { Command, CommandContext, CommandSpec, DoctorReport } from './program.ts';
import { find, type Flags, type OptionSources, readOptions } from './read-options.ts';

export interface DoctorSpec<Shape extends z.ZodRawShape> extends Pick<
  CommandSpec<Shape>,
  'details' | 'examples'
> {
  /** The settings of the server. The report lists those that are not defaults. */
  readonly options: Options<z.ZodObject<Shape>>;
  readonly examine: (values: z.output<z.ZodObject<Shape>>, context: CommandContext) => Promise<DoctorReport>;
}

/** The command `doctor`: prints what `examine` finds, and where each setting comes from, as aligned lines. */
export function defineDoctor<Shape extends z.ZodRawShape>(spec: DoctorSpec<Shape>): Command {
  const { options, details, examples = [], examine } = spec;
  async function report(flags: Flags, context: CommandContext): Promise<DoctorReport> {
    const sources = { flags, env: context.env, file: context.settings };
    const found = await examine(readOptions(options, sources), context);
    return { ...found, facts: [...found.facts, ['Settings', settingsText(options.settings, sources)]] };
  }
  return {
    settings: options.settings,
    operands: '',
    details,
    examples,
    report,
    async run(flags, context) {
      const { program, facts, problems, works = problems.length === 0 } = await report(flags, context);
      const width = Math.max(...facts.map(([label]) => label.length)) + 2;
      const lines = [
        program,
        '',
        ...(problems.length === 0 ? ['✓ No problems found.'] : ['Problems:']),
        ...problems.flatMap(({ problem, remedy }) => [`  ✗ ${problem}`, `    ${remedy}`]),
        '',
        ...facts.flatMap(([label, value]) =>
          value.split('\n').map((line, index) => `${(index === 0 ? label : '').padEnd(width)}${line}`),
        ),
      ];
      for (const line of lines) context.print(escapeInvisible(line));
      return works ? 0 : 1;
    },
  };
}

/** A line for each setting that is not a default: its value and where it comes from. */
function settingsText(settings: readonly Setting[], sources: OptionSources): string {
  const lines = settings.flatMap((setting) => {
    const found = find(setting, sources);
    if (found === undefined) return [];
    return `${shownValue(setting, String(found.value))} from ${found.origin.replace(`${setting.key} in `, '')}`;
  });
  return lines.length === 0 ? 'all defaults' : lines.join('\n');
}

/** Without secrets: a URL may contain some in each part but its host, and a password may contain each character. */
function shownValue({ key, isSecret }: Setting, value: string): string {
  if (isSecret) return `${key} (secret)`;
  const [, scheme, rest = ''] = /^([a-z][\w+.-]*:\/\/)(.*)$/is.exec(value) ?? [];
  if (scheme === undefined) return `${key} ${value}`;
  const [, host = ''] = /^(?:[^/?#]*@)?([^/?#@]*)/.exec(rest) ?? [];
  const isClear = rest.lastIndexOf('@') <= rest.indexOf(host);
  return `${key} ${isClear && host !== '' ? `${scheme}${host}` : '(URL)'}`;
}

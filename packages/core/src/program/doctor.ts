import { styleText } from 'node:util';
import * as z from 'zod';
import { escapeInvisible } from '../text/index.ts';
import { combineOptions, defineFlags, type Options, type Setting } from './options.ts';
import type { Command, CommandContext, CommandSpec, DoctorFact, DoctorReport } from './program.ts';
import { find, type Flags, type OptionSources, readOptions } from './read-options.ts';

export interface DoctorSpec<Shape extends z.ZodRawShape> extends Pick<
  CommandSpec<Shape>,
  'details' | 'examples'
> {
  /** The settings of the server. The report lists those that are not defaults. */
  readonly options: Options<z.ZodObject<Shape>>;
  readonly examine: (values: z.output<z.ZodObject<Shape>>, context: CommandContext) => Promise<DoctorReport>;
}

/**
 * The command `doctor`: prints the problems that `examine` finds, then its facts as aligned lines, and where each setting
 * comes from. Details stay behind `--all`.
 */
export function defineDoctor<Shape extends z.ZodRawShape>(spec: DoctorSpec<Shape>): Command {
  const { options, details, examples = [], examine } = spec;
  const ownFlags = defineFlags({
    all: z.boolean().default(false).meta({ description: 'Show all that was found.' }),
  });
  const { settings } = combineOptions<z.ZodRawShape, z.ZodRawShape>(ownFlags, options);
  async function report(flags: Flags, context: CommandContext): Promise<DoctorReport> {
    const sources = { flags, env: context.env, file: context.settings };
    const found = await examine(readOptions(options, sources), context);
    return { ...found, facts: [...found.facts, settingsFact(options.settings, sources)] };
  }
  return {
    settings,
    operands: '',
    details,
    examples,
    report,
    async run(flags, context) {
      const { program, facts, problems, works = problems.length === 0 } = await report(flags, context);
      const { all } = readOptions(ownFlags, { flags, env: {} });
      const shown = facts.filter(([, , kind]) => all || kind === undefined);
      const hidden = facts.length - shown.length;
      const width = Math.max(0, ...shown.map(([label]) => label.length)) + 2;
      const lines = [
        program,
        '',
        ...(problems.length === 0 ? ['✓ No problems found.'] : ['Problems:']),
        ...problems.flatMap(({ problem, remedy }) => [`  ✗ ${problem}`, `    ${remedy}`]),
        ...(shown.length === 0 ? [] : ['']),
        ...shown.flatMap(([label, value]) =>
          value.split('\n').map((line, index) => `${(index === 0 ? label : '').padEnd(width)}${line}`),
        ),
        ...(hidden === 0 ? [] : ['', `--all shows ${hidden} more.`]),
      ];
      for (const line of lines) context.print(inTerminal(escapeInvisible(line), context.output));
      return works ? 0 : 1;
    },
  };
}

/** The signs have a color where the terminal has colors. */
function inTerminal(line: string, output: CommandContext['output']): string {
  if (output.isTTY !== true) return line;
  return line.replace(/^ *[✓✗]/u, (sign) =>
    styleText(sign === '✓' ? 'green' : 'red', sign, { stream: output }),
  );
}

/** A line for each setting that is not a default: its value and where it comes from. */
function settingsFact(settings: readonly Setting[], sources: OptionSources): DoctorFact {
  const lines = settings.flatMap((setting) => {
    const found = find(setting, sources);
    if (found === undefined) return [];
    return `${shownValue(setting, String(found.value))} from ${found.origin.replace(`${setting.key} in `, '')}`;
  });
  return lines.length === 0 ? ['Settings', 'all defaults', 'detail'] : ['Settings', lines.join('\n')];
}

/** Without secrets: a URL may contain some in each part. */
function shownValue({ key, isSecret }: Setting, value: string): string {
  if (isSecret) return `${key} (secret)`;
  return /^[a-z][\w+.-]*:\/\//i.test(value) ? `${key} (URL)` : `${key} ${value}`;
}

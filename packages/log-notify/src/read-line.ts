import { parseArgs } from 'node:util';
import { type Flags, type Setting, StartError } from '@deskside/core';

export interface CommandLine {
  readonly flags: Flags;
  readonly operands: readonly string[];
}

/**
 * Flags may stand before, between and behind the operands; after `--` everything is an operand.
 *
 * @param letters short forms of flags
 * @throws StartError for a flag that is none of the settings', or lacks its value
 */
export function readLine(
  settings: readonly Setting[],
  letters: Readonly<Record<string, string>>,
  argv: readonly string[],
): CommandLine {
  const options = Object.fromEntries(
    settings.flatMap(({ flag, placeholder }) => {
      if (flag === undefined) return [];
      const short = letters[flag];
      const type = placeholder === undefined ? ('boolean' as const) : ('string' as const);
      return [[flag, { type, ...(short === undefined ? {} : { short }) }] as const];
    }),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options,
      allowPositionals: true,
      allowNegative: true,
    });
    return { flags: values, operands: positionals };
  } catch (error) {
    const [sentence = ''] = error instanceof Error ? error.message.split(/\.\s/) : [];
    throw new StartError(`${sentence}. See --help.`, { cause: error });
  }
}

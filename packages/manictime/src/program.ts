import {
  commonOptions,
  type Invocation,
  readFlags,
  readOptions,
  type ServerProgram,
  StartError,
  visible,
} from '@deskside/core';
import type { z } from 'zod';
import manifest from '../package.json' with { type: 'json' };
import { type ManicTime, openManicTime } from './manictime.ts';
import { type ManicTimeOptions, manictimeOptions } from './options.ts';
import { manictimeServer } from './server.ts';

const NAME = 'deskside-manictime';

type ManicTimeProgram = ServerProgram<typeof manictimeOptions.schema.shape, ManicTime>;

/** The bin as data. */
export function program(argv: readonly string[]): ManicTimeProgram {
  return {
    name: NAME,
    version: manifest.version,
    summary: manifest.description,
    options: manictimeOptions,
    open: (options) => openManicTime(asGiven(options, argv)),
    definition: manictimeServer,
  };
}

type Given = Pick<Invocation, 'argv' | 'env'>;

/** False for wrong options too: the server says what is wrong with them. */
export function asksForDoctor(given: Given): boolean {
  try {
    return readOwn(given).doctor;
  } catch (error) {
    if (error instanceof StartError) return false;
    throw error;
  }
}

/** `--doctor`: prints a report for a person, who is at the terminal instead of a client. */
export async function runDoctor({ argv, env, print }: Invocation): Promise<{ readonly usable: boolean }> {
  const options = readOwn({ argv, env });
  const { examine } = await import('./doctor/doctor.ts');
  const manictime = openManicTime(asGiven(options, argv));
  const { report, usable } = await examine(manictime);
  await manictime[Symbol.asyncDispose]();
  for (const line of report) print(visible(line));
  return { usable };
}

function readOwn({ argv, env }: Given) {
  const flags = readFlags([...manictimeOptions.settings, ...commonOptions.settings], argv);
  return readOptions(manictimeOptions, { flags, env });
}

/** Says where the data folder's name came from. */
function asGiven(
  options: z.output<typeof manictimeOptions.schema>,
  argv: readonly string[],
): ManicTimeOptions {
  const byFlag = argv.some((argument) => /^--data-dir(=|$)/.test(argument));
  return { ...options, dataDirSource: byFlag ? 'Option' : 'EnvironmentVariable' };
}

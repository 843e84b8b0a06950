import {
  commonOptions,
  type Invocation,
  readFlags,
  readOptions,
  type ServerProgram,
  visible,
} from '@deskside/core';
import type { z } from 'zod';
import manifest from '../package.json' with { type: 'json' };
import { writeDemoFolder } from './demo/demo-folder.ts';
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

/** `--doctor`: prints a report for a person, who is at the terminal instead of a client. */
export async function runDoctor(
  { argv, env }: Invocation,
  print: (line: string) => void,
): Promise<{ readonly usable: boolean }> {
  const flags = readFlags([...manictimeOptions.settings, ...commonOptions.settings], argv);
  const options = readOptions(manictimeOptions, { flags, env });
  const { examine } = await import('./doctor/doctor.ts');
  const manictime = openManicTime(asGiven(options, argv));
  const { report, usable } = await examine(manictime);
  await manictime[Symbol.asyncDispose]();
  for (const line of report) print(visible(line));
  return { usable };
}

/** Says where the data folder's name came from, and makes one up where that was asked for. */
function asGiven(
  { demo, doctor: _, ...options }: z.output<typeof manictimeOptions.schema>,
  argv: readonly string[],
): ManicTimeOptions {
  const byFlag = argv.some((argument) => /^--data-dir(=|$)/.test(argument));
  return {
    ...options,
    dataDirSource: byFlag ? 'Option' : 'EnvironmentVariable',
    ...(demo ? { demoFolder: writeDemoFolder } : {}),
  };
}

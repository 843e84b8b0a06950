import type { CommandEntry, ServerProgram } from '@deskside/core/program';
import manifest from '../../package.json' with { type: 'json' };
import type { ManicTime } from '../manictime.ts';
import { type Environment, manictimeOptions, originOf } from '../options.ts';

/** For people. Each command's module is loaded when it is called. */
export const manictimeCommands: Readonly<Record<string, CommandEntry>> = {
  doctor: {
    summary: 'Check the data folder, the database and the screenshots, and say what to do.',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  report: {
    summary: 'Write a day or a week as one HTML file: lanes, top lists and a table.',
    load: async () => (await import('./report.ts')).report,
  },
};

/** The bin: the server, and its commands for people. */
export function program(env: Environment): ServerProgram<typeof manictimeOptions.schema.shape, ManicTime> {
  return {
    name: 'deskside-manictime',
    version: manifest.version,
    summary: manifest.description,
    options: manictimeOptions,
    open: async (options) => (await import('../manictime.ts')).openManicTime(options, originOf(options, env)),
    definition: async (manictime) => (await import('../server.ts')).manictimeServer(manictime),
    started: async (manictime, _, log) => (await import('../manictime.ts')).logUnusedRules(manictime, log),
    commands: manictimeCommands,
    examples: [
      'deskside-manictime report --date yesterday --out day.html',
      'deskside-manictime --demo',
      'deskside-manictime doctor --data-dir /data/ManicTime',
    ],
  };
}

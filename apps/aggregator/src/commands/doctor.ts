import { serve, silentLog, StartError } from '@deskside/core';
import { defineCommand, printDoctorReport } from '@deskside/core/cli';
import manifest from '../../package.json' with { type: 'json' };
import { openDesk } from '../desk.ts';
import { MOUNT_VARIABLES } from '../mounts/built-in.ts';
import { httpOptions } from '../options.ts';
import { tokenFile } from '../tokens/places.ts';

/** Starts everything as `deskside http` does, then stops it. */
export const doctor = defineCommand({
  options: httpOptions,
  details: `Opens all mounts and listens on the HTTP port for a moment. ${MOUNT_VARIABLES}`,
  examples: ['deskside doctor', 'deskside doctor --port 3334'],
  async run({ host, port, token, config, mounts, noMounts }, { env, print }) {
    const facts: (readonly [string, string])[] = [
      ['Token', token === undefined ? tokenFile() : 'from DESKSIDE_TOKEN'],
    ];
    const problems: { problem: string; remedy: string }[] = [];
    try {
      await using desk = await openDesk({ config, mounts, noMounts }, { env, log: silentLog });
      for (const { id, state, tools, reason } of await desk.aggregator.mountStates()) {
        facts.push([`Mount ${id}`, `${state}, ${tools} ${tools === 1 ? 'tool' : 'tools'}`]);
        if (state === 'dormant') facts.push(['', reason ?? '']);
        if (state === 'degraded') {
          problems.push({ problem: `Mount ${id} is degraded.`, remedy: reason ?? '' });
        }
      }
      const serving = await serve(desk.aggregator.routes, {
        log: silentLog,
        ownsProcess: false,
        // Rejects every call: nothing is served to anyone here.
        http: { host, port, auth: () => Promise.resolve(undefined) },
      });
      facts.push(['Address', serving.url ?? '']);
      await serving.close();
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      problems.push({ problem: error.message, remedy: 'Correct it, then run "deskside doctor" again.' });
    }
    return printDoctorReport({ program: `deskside ${manifest.version}`, facts, problems }, print);
  },
});

import { identityName, serve, silentLog, StartError } from '@deskside/core';
import { defineCommand, printDoctorReport } from '@deskside/core/cli';
import manifest from '../../package.json' with { type: 'json' };
import { createAggregator } from '../aggregator.ts';
import { MOUNT_VARIABLES, openBuiltIn } from '../mounts/built-in.ts';
import { httpOptions } from '../options.ts';
import { tokenFile } from './token.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Starts everything as `deskside http` does, then stops it. */
export const doctor = defineCommand({
  options: httpOptions,
  details: `Opens all mounts and listens on the HTTP port for a moment. ${MOUNT_VARIABLES}`,
  examples: ['deskside doctor', 'deskside doctor --port 3334'],
  async run({ host, port, token }, { env, print }) {
    const facts: (readonly [string, string])[] = [
      ['Token', token === undefined ? tokenFile() : 'from DESKSIDE_TOKEN'],
    ];
    const problems: { problem: string; remedy: string }[] = [];
    try {
      for await (const fact of trialStart({ host, port }, env)) facts.push(fact);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      problems.push({ problem: error.message, remedy: 'Correct it, then run "deskside doctor" again.' });
    }
    return printDoctorReport({ program: `deskside ${manifest.version}`, facts, problems }, print);
  },
});

/** @throws StartError for a setting of a mount or an address that does not work */
async function* trialStart(
  address: { readonly host: string; readonly port: number },
  env: Environment,
): AsyncGenerator<readonly [label: string, value: string]> {
  await using opened = openBuiltIn(env);
  const { routes, mounts } = await createAggregator(opened);
  for (const { id, definition } of mounts) {
    const tools = await definition.listTools({
      era: 'modern',
      toolName: identityName,
      principal: { user: opened.user },
    });
    yield [`Mount ${id}`, `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`];
  }
  const serving = await serve(routes, {
    log: silentLog,
    ownsProcess: false,
    // Rejects every call: nothing is served to anyone here.
    http: { ...address, auth: () => Promise.resolve(undefined) },
  });
  yield ['Address', serving.url ?? ''];
  await serving.close();
}

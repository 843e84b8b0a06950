import { silentLog } from '@deskside/core';
import { serve } from '@deskside/core/serving';
import { combineOptions, commonOptions, defineDoctor, type DoctorReport } from '@deskside/core/program';
import { identityName, StartError } from '@deskside/core/errors';
import manifest from '../../package.json' with { type: 'json' };
import { uiToastOptions } from '../options.ts';
import { uiToastServer } from '../server.ts';
import { openUiToast } from '../ui-toast.ts';

export const doctor = defineDoctor({
  options: combineOptions(uiToastOptions, commonOptions(uiToastOptions)),
  details: 'With --http it also listens on the port for a moment. The exit code is 1 if there is a problem.',
  examples: ['deskside-ui-toast doctor', 'deskside-ui-toast doctor --http'],
  examine: diagnose,
});

interface Address {
  readonly http: boolean;
  readonly host: string;
  readonly port: number;
}

/** Opens the server, and with `http` listens at the address for a moment. */
export async function diagnose({ http, host, port }: Address): Promise<DoctorReport> {
  await using toast = openUiToast();
  const definition = uiToastServer(toast);
  const tools = await definition.listTools({
    era: 'modern',
    toolName: identityName,
    principal: { user: 'doctor' },
  });
  const facts: (readonly [string, string])[] = [['Tools', tools.map(({ name }) => name).join(', ')]];
  const problems: { problem: string; remedy: string }[] = [];
  if (http) {
    try {
      const serving = await serve(definition, {
        log: silentLog,
        ownsProcess: false,
        // Rejects every call.
        http: { host, port, auth: () => Promise.resolve(undefined) },
      });
      facts.push(['Address', serving.url ?? '']);
      await serving.close();
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      problems.push({ problem: error.message, remedy: 'Choose another address with --host or --port.' });
    }
  }
  return { program: `deskside-ui-toast ${manifest.version}`, facts, problems };
}

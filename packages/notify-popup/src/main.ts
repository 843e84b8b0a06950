import '@deskside/core/stdout';
import { runServer } from '@deskside/core/program';
import type { FirstExchanges } from '@deskside/core/internal';
import manifest from '../package.json' with { type: 'json' };
import { popupCommands as commands } from './commands/index.ts';
import { popupOptions as options } from './options.ts';

/** Everything that the program does after its first answers. */
export function run(first?: FirstExchanges): Promise<void> {
  const { version, description: summary } = manifest;
  return runServer(
    {
      name: 'deskside-notify-popup',
      version,
      summary,
      options,
      open: async (...given) => (await import('./notify-popup.ts')).openWithJournal(...given),
      definition: async (popup) => (await import('./server.ts')).popupServer(popup),
      commands,
    },
    first,
  );
}

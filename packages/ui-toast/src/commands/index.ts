import type { CommandEntry, ServerProgram } from '@deskside/core/program';
import manifest from '../../package.json' with { type: 'json' };
import { uiToastOptions } from '../options.ts';
import type { UiToast } from '../ui-toast.ts';

/** For people. Each command's module is loaded when it is called. */
export const uiToastCommands: Readonly<Record<string, CommandEntry>> = {
  doctor: {
    summary: 'Start the server for a moment, and report what it offers.',
    load: async () => (await import('./doctor.ts')).doctor,
  },
};

/** The program `deskside-ui-toast`. Without a command it serves MCP. */
export const uiToastProgram: ServerProgram<typeof uiToastOptions.schema.shape, UiToast> = {
  name: 'deskside-ui-toast',
  version: manifest.version,
  summary: manifest.description,
  options: uiToastOptions,
  open: async (...given) => (await import('../ui-toast.ts')).openWithJournal(...given),
  definition: async (toast) => (await import('../server.ts')).uiToastServer(toast),
  commands: uiToastCommands,
  examples: ['deskside-ui-toast doctor', 'deskside-ui-toast doctor --http --port 3338'],
};

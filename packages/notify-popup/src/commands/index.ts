import type { CommandEntry } from '@deskside/core/program';

export const popupCommands: Readonly<Record<string, CommandEntry>> = {
  ask: {
    summary: 'Ask the person a question in a popup and print the answer.',
    load: async () => (await import('./ask.ts')).askCommand,
  },
  doctor: {
    summary: 'Check whether this machine can show popups, and with which program.',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
};

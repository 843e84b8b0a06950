import type { CommandEntry } from '@deskside/core/program';

/** Each command's module is loaded when it is called. */
export const logNotifyCommands: Readonly<Record<string, CommandEntry>> = {
  tail: {
    summary: 'Show notifications as they arrive, from every server that writes the file.',
    load: async () => (await import('./tail.ts')).tail,
  },
  send: {
    summary: 'Send a notification from a shell, with the same filters, sinks and limits as the tool.',
    load: async () => (await import('./send.ts')).send,
  },
  render: {
    summary: 'Render a Liquid template that contains notifications.',
    load: async () => (await import('./render.ts')).render,
  },
  init: {
    summary: 'Write a configuration file with comments.',
    load: async () => (await import('./init.ts')).init,
  },
  check: {
    summary: 'Validate the configuration, show what each sink gets, and send a test with --send.',
    load: async () => (await import('./check.ts')).check,
  },
  doctor: {
    summary: 'Test which sinks work in this environment. Sends nothing.',
    load: async () => (await import('./doctor.ts')).doctor,
  },
};

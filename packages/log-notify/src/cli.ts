#!/usr/bin/env node
import '@deskside/core/stdout';
import { runServer } from '@deskside/core/program';
import manifest from '../package.json' with { type: 'json' };
import { logNotifyCommands as commands } from './commands/index.ts';
import { logNotifyOptions as options } from './options.ts';

const { version, description: summary } = manifest;
const program = { name: 'deskside-log-notify', version, summary, commands, options };
await runServer({
  ...program,
  open: async (...given) => (await import('./log-notify.ts')).openWithJournal(...given),
  definition: async (opened) => (await import('./server.ts')).logNotifyServer(opened),
});

#!/usr/bin/env node
import '@deskside/core/stdout';
import { runServer } from '@deskside/core';
import manifest from '../package.json' with { type: 'json' };
import { commandNamed, commandsHelp } from './command-line.ts';
import { openLogNotify } from './log-notify.ts';
import { logNotifyOptions } from './options.ts';
import { logNotifyServer } from './server.ts';

const { version, description } = manifest;
const bin = { name: 'deskside-log-notify', version };
const command = commandNamed(process.argv[2]);

await (command === undefined
  ? runServer({
      ...bin,
      summary: `${description}\n\n${commandsHelp}`,
      options: logNotifyOptions,
      open: openLogNotify,
      definition: logNotifyServer,
    })
  : command({ ...bin, terminal: { output: process.stdout, input: process.stdin } }));

#!/usr/bin/env node
import '@deskside/core/stdout';
import { runServer } from '@deskside/core/cli';
import manifest from '../package.json' with { type: 'json' };
import { popupCommands as commands } from './commands/index.ts';
import { openPopup as open } from './notify-popup.ts';
import { popupOptions as options } from './options.ts';
import { popupServer as definition } from './server.ts';

const { version, description: summary } = manifest;
await runServer({ name: 'deskside-notify-popup', version, summary, options, open, definition, commands });

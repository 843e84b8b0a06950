#!/usr/bin/env node
import '@deskside/core/stdout';
import { runServer } from '@deskside/core/cli';
import { uiToastProgram } from './commands/index.ts';

await runServer(uiToastProgram);

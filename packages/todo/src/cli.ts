#!/usr/bin/env node
import '@deskside/core/stdout';
import { runServer } from '@deskside/core/cli';
import { todoProgram } from './commands/index.ts';

await runServer(todoProgram);

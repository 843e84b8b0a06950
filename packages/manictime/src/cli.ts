#!/usr/bin/env node
import '@deskside/core/stdout';
import { runServer } from '@deskside/core/cli';
import { program } from './commands/index.ts';

await runServer(program(process.env));

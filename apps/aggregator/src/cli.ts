#!/usr/bin/env node
import '@deskside/core/stdout';
import { runProgram } from '@deskside/core/cli';
import { program } from './commands/index.ts';

await runProgram(program);

#!/usr/bin/env node
import '@deskside/core/stdout';
import { runProgram } from '@deskside/core';
import manifest from '../package.json' with { type: 'json' };
import { runCommand, usage } from './commands/run-command.ts';

await runProgram({ name: 'deskside', version: manifest.version, usage }, runCommand);

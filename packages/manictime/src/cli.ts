#!/usr/bin/env node
import '@deskside/core/stdout';
import { runProgram, runServer } from '@deskside/core';
import { program, runDoctor } from './program.ts';

const argv = process.argv.slice(2);
const server = program(argv);
if (argv.includes('--doctor') && !argv.includes('--help')) {
  await runProgram({ ...server, usage: '' }, async (invocation) => {
    const { usable } = await runDoctor(invocation, (line) => process.stdout.write(`${line}\n`));
    if (!usable) process.exitCode = 1;
  });
} else await runServer(server);

#!/usr/bin/env node
import '@deskside/core/stdout';
import { runProgram, runServer } from '@deskside/core';
import { asksForDoctor, program, runDoctor } from './program.ts';

const argv = process.argv.slice(2);
const server = program(argv);
if (asksForDoctor({ argv, env: process.env })) {
  await runProgram({ ...server, usage: '' }, async (invocation) => {
    const { usable } = await runDoctor(invocation);
    if (!usable) process.exitCode = 1;
  });
} else await runServer(server);

#!/usr/bin/env node
import '@deskside/core/stdout';
import { runServer } from '@deskside/core';
import manifest from '../package.json' with { type: 'json' };
import { todoOptions } from './options.ts';
import { todoServer } from './server.ts';
import { openTodo } from './todo.ts';

await runServer({
  name: 'deskside-todo',
  version: manifest.version,
  summary: manifest.description,
  options: todoOptions,
  open: openTodo,
  definition: todoServer,
  user: ({ user }) => user,
});

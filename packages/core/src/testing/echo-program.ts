/** A bin of core alone, for tests of what a process does. */
import '@deskside/core/stdout';
import { defineOptions, runServer } from '@deskside/core';
import { echoServer } from './echo-server.ts';

await runServer({
  name: 'echo',
  version: '1.0.0',
  summary: 'Answers what it was told.',
  options: defineOptions('ECHO', {}),
  open: () => ({ [Symbol.asyncDispose]: async () => undefined }),
  definition: () => echoServer(),
});

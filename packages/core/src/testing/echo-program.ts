/** A bin with the echo server, for tests of the process. */
import '@deskside/core/stdout';
import { defineOptions, runServer } from '@deskside/core/program';
import { echoServer } from './echo-server.ts';

await runServer({
  name: 'echo',
  version: '1.0.0',
  summary: 'Repeats texts.',
  options: defineOptions('ECHO', {}),
  open: () => ({ [Symbol.asyncDispose]: async () => undefined }),
  definition: () => echoServer(),
});

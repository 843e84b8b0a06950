/** A bin with an option whose default is below the user's home folder. */
import '@deskside/core/stdout';
import { defineOptions, folders, runServer } from '@deskside/core/program';
import { z } from 'zod';
import { echoServer } from './echo-server.ts';

await runServer({
  name: 'folder',
  version: '1.0.0',
  summary: 'Stores data.',
  options: defineOptions('FOLDER', { path: z.string().default(() => folders().data) }),
  open: () => ({ [Symbol.asyncDispose]: async () => undefined }),
  definition: () => echoServer(),
});

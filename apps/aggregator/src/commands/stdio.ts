import { createLog, serve } from '@deskside/core';
import { defineCommand } from '@deskside/core/cli';
import { openDesk } from '../desk.ts';
import { MOUNT_VARIABLES } from '../mounts/built-in.ts';
import { mountFields } from '../mounts/mount.ts';
import { stdioOptions } from '../options.ts';

export const stdio = defineCommand({
  options: stdioOptions,
  details: MOUNT_VARIABLES,
  examples: ['npx -y @deskside/aggregator stdio', 'npx -y @deskside/aggregator stdio --mounts todo,log'],
  async run({ logLevel, ...settings }, { env, write, note }) {
    const log = createLog({ level: logLevel, write });
    const desk = await openDesk(settings, { env, log });
    await serve(desk.aggregator.definition, {
      user: desk.user,
      log,
      rejectionFields: mountFields,
      onClose: async () => desk[Symbol.asyncDispose](),
    });
    for (const line of await desk.notes()) note(line);
  },
});

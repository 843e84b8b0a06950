import { createLog, serve } from '@deskside/core';
import { defineCommand } from '@deskside/core/cli';
import { createAggregator } from '../aggregator.ts';
import { MOUNT_VARIABLES, openBuiltIn } from '../mounts/built-in.ts';
import { stdioOptions } from '../options.ts';

export const stdio = defineCommand({
  options: stdioOptions,
  details: MOUNT_VARIABLES,
  examples: ['npx -y @deskside/aggregator stdio'],
  async run({ logLevel }, { env, write }) {
    const opened = openBuiltIn(env);
    const { definition } = await createAggregator(opened);
    await serve(definition, {
      user: opened.user,
      log: createLog({ level: logLevel, write }),
      onClose: async () => opened[Symbol.asyncDispose](),
    });
  },
});

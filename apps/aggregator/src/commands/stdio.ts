import { createLog, readFlags, readOptions, serve, settingsHelp } from '@deskside/core';
import { createAggregator } from '../aggregator.ts';
import { openBuiltIn } from '../mounts/built-in.ts';
import { stdioOptions } from '../options.ts';
import type { Command } from './command.ts';

export const stdio: Command = {
  words: 'stdio',
  summary: 'Serve all mounts to the client that started this process.',
  options: settingsHelp(stdioOptions.settings),
  async run({ argv, env, write }) {
    const { logLevel } = readOptions(stdioOptions, { flags: readFlags(stdioOptions.settings, argv), env });
    const opened = openBuiltIn(env);
    const { definition } = await createAggregator(opened);
    await serve(definition, {
      user: opened.user,
      log: createLog({ level: logLevel, write }),
      onClose: async () => opened[Symbol.asyncDispose](),
    });
  },
};

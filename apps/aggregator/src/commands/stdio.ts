import { createLog } from '@deskside/core';
import { serve } from '@deskside/core/serving';
import { type Command, defineCommand } from '@deskside/core/program';
import { sentenceOf } from '../attach/protocol.ts';
import type { Self } from '@deskside/connect';
import { openDesk } from '../open-desk.ts';
import { MOUNT_VARIABLES } from '../mounts/built-in.ts';
import { unknownProfile } from '../config/load.ts';
import { mountFields } from '@deskside/gateway';
import { stdioOptions } from '../options.ts';

/** One client, served by this process alone. `attach/client.ts` runs instead if a desk serves it. */
export const stdio = ({ aloneBecause }: Self): Command =>
  defineCommand({
    options: stdioOptions,
    details: `Attaches to the desk of this user, and starts it if it is not running. ${MOUNT_VARIABLES}`,
    examples: ['npx -y @deskside/aggregator stdio', 'npx -y @deskside/aggregator stdio --profile work'],
    async run({ logLevel, as, profile, ...settings }, { env, write, note }) {
      const log = createLog({ level: logLevel, write });
      const desk = await openDesk(settings, { env, log });
      const { routes, definition } = desk.aggregator;
      const served = profile === undefined ? definition : routes.get(`/mcp/p/${profile}`);
      if (served === undefined) {
        await desk[Symbol.asyncDispose]();
        throw unknownProfile(profile ?? '');
      }
      await serve(served, {
        user: desk.user,
        ...(as === undefined ? {} : { clientName: as }),
        log,
        rejectionFields: mountFields,
        onClose: async () => desk[Symbol.asyncDispose](),
      });
      if (aloneBecause !== undefined) note(`deskside stdio: standalone: ${sentenceOf(aloneBecause)}`);
      for (const line of await desk.notes()) note(line);
    },
  });

import { join } from 'node:path';
import { createLog } from '@deskside/core';
import { type Command, defineCommand, folders, ownProcess, serverSecret } from '@deskside/core/program';
import { CLEANUP_MS } from '@deskside/log-notify';
import { type AttachServer, openAttachServer } from '../attach/attach-server.ts';
import type { Self } from '@deskside/connect';
import { withLimit } from '../attach/start-desk.ts';
import { settingsOf } from '../attach/variables.ts';
import { openDesk } from '../open-desk.ts';
import { MOUNT_VARIABLES } from '../mounts/built-in.ts';
import { mountFields } from '@deskside/gateway';
import { deskOptions } from '../options.ts';

/** The process that all clients of a user share. */
export function desk(self: Self): Command {
  return defineCommand({
    options: deskOptions,
    details: `Ends ten minutes after its last client. ${MOUNT_VARIABLES}`,
    examples: ['deskside desk'],
    async run({ logLevel, secret, ...settings }, { env, write, print }) {
      const log = createLog({
        level: logLevel,
        write: withLimit(join(folders().state, 'desk.log'), write),
      });
      let clients: AttachServer | undefined;
      const opened = await openDesk(settings, { env, log, clientPath: () => clients?.path() });
      try {
        clients = await openAttachServer({
          self,
          data: folders().data,
          settings: settingsOf(env),
          isExplicit: false,
          user: opened.user,
          secret: await serverSecret({ secret }),
          log,
          aggregator: opened.aggregator,
          page: opened.page,
        });
        if (clients === undefined) {
          await opened[Symbol.asyncDispose]();
          print('Another desk serves this user.');
          return;
        }
        const closed = clients.closed.then(() => opened[Symbol.asyncDispose]());
        ownProcess(clients, closed, log, { rejectionFields: mountFields, cleanupMs: CLEANUP_MS });
        // The client that starts this process passes them on to its person.
        for (const note of opened.configNotes) log.warn(note);
        log.info('desk started', { pid: self.pid, version: self.version });
        print('ready');
      } catch (error) {
        await opened[Symbol.asyncDispose]();
        throw error;
      }
    },
  });
}

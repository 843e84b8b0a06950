import { join } from 'node:path';
import { createLog, type Log } from '@deskside/core';
import {
  type Closable,
  type Command,
  defineCommand,
  folders,
  ownProcess,
  serverSecret,
} from '@deskside/core/program';
import { type AttachServer, type AttachServerOptions, openAttachServer } from '../attach/attach-server.ts';
import type { Self } from '@deskside/connect';
import { withLimit } from '../attach/start-desk.ts';
import { settingsOf } from '../attach/variables.ts';
import { type DeskSettings, openDesk } from '../open-desk.ts';
import { MOUNT_VARIABLES } from '../mounts/built-in.ts';
import { mountFields } from '@deskside/gateway';
import { deskOptions } from '../options.ts';

/** The process that all clients of a user share. */
export const desk = (self: Self): Command =>
  defineCommand({
    options: deskOptions,
    details: `Ends ten minutes after its last client. ${MOUNT_VARIABLES}`,
    examples: ['deskside desk'],
    async run({ logLevel, secret, ...settings }, { env, write, print }) {
      const log = createLog({
        level: logLevel,
        write: withLimit(join(folders().state, 'desk.log'), write),
      });
      const opened = await openForClients(self, settings, env, log);
      try {
        const clients = await opened.attach({ isExplicit: false, secret: await serverSecret({ secret }) });
        if (clients === undefined) {
          await opened.desk[Symbol.asyncDispose]();
          print('Another desk serves this user.');
          return;
        }
        opened.own(clients);
        for (const line of opened.desk.configNotes) log.warn(line);
        log.info('desk started', { pid: self.pid, version: self.version });
        print('ready');
      } catch (error) {
        await opened.desk[Symbol.asyncDispose]();
        throw error;
      }
    },
  });

/** A desk with the part that serves attached clients. */
export async function openForClients(
  self: Self,
  settings: DeskSettings,
  env: Readonly<Record<string, string | undefined>>,
  log: Log,
) {
  let clients: AttachServer | undefined;
  const desk = await openDesk(settings, { env, log, clientPath: () => clients?.path() });
  const { aggregator, page, user } = desk;
  const common = { self, data: folders().data, settings: settingsOf(env), user, log, aggregator, page };
  return {
    desk,
    clients: () => clients,
    async attach(options: Pick<AttachServerOptions, 'isExplicit' | 'secret' | 'url' | 'onStop'>) {
      clients = await openAttachServer({ ...common, ...options });
      return clients;
    },
    /** The end of the process closes the desk. */
    own(served: Closable): void {
      const cleanedUp = served.closed.then(() => desk[Symbol.asyncDispose]());
      ownProcess(served, cleanedUp, log, { rejectionFields: mountFields });
    },
  };
}

import { silentLog } from '@deskside/core';
import { createAggregator } from '@deskside/gateway';
import { onTestFinished } from 'vitest';
import { type AttachServerOptions, openAttachServer } from '../attach/attach-server.ts';
import type { SessionHello } from '../attach/hello.ts';
import { SELF } from './commands.ts';

/** A desk without mounts that serves the clients of a user, until the end of the test. @returns undefined if another one stays */
export async function attachDesk(data: string, options: Partial<AttachServerOptions> = {}) {
  const server = await openAttachServer({
    self: SELF,
    data,
    settings: {},
    isExplicit: false,
    user: 'ada',
    log: silentLog,
    aggregator: options.aggregator ?? (await createAggregator({ mounts: [] })),
    ...options,
  });
  onTestFinished(() => server?.close());
  return server;
}

/** How a client introduces itself. */
export const HELLO: SessionHello = {
  kind: 'session',
  version: '1.0.0',
  session: 'attach/1',
  pid: 1,
  env: {},
  settings: {},
};

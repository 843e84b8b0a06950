import { createInterface } from 'node:readline';
import { silentLog } from '@deskside/core';
import { latestRecord } from '@deskside/desktop';
import { createAggregator } from '@deskside/gateway';
import { expect, onTestFinished } from 'vitest';
import { type AttachServerOptions, openAttachServer } from '../attach/attach-server.ts';
import type { SessionHello } from '../attach/hello.ts';
import { deskPlace, greetDesk } from '../attach/protocol.ts';
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
    page: {
      agents: { list: () => [], process: () => undefined },
      isOpen: false,
      openForPerson: async () => false,
    },
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

/** A client of the present desk, until the end of the test. */
export async function attachClient(data: string, introduction = HELLO) {
  const { record } = latestRecord(deskPlace(data, SELF));
  const greeting = record && (await greetDesk(record, introduction, new AbortController().signal));
  if (greeting === undefined) throw new Error('no desk');
  expect(greeting.answer).toStrictEqual({ kind: 'welcome' });
  const { socket } = greeting;
  onTestFinished(() => void socket.destroy());
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  return {
    socket,
    next: async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? 'null'),
    send: (line: string) => void socket.write(`${line}\n`),
  };
}

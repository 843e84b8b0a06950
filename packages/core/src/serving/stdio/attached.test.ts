import { expect, onTestFinished, test } from 'vitest';
import type { Caller } from '../../definition/context.ts';
import { silentLog } from '../../log.ts';
import { echoServer, gate } from '../../testing/echo-server.ts';
import { serve } from '../serve.ts';
import { type AttachedClient, attachedServer } from './serve-stdio.ts';
import { serverOf } from '../../testing/surface.ts';
import { INITIALIZE, lineClient, toolCall } from '../../testing/wire.ts';

const callers: Caller[] = [];

const definition = serverOf('who', ({ caller }) => {
  callers.push(caller);
  return 'noted';
});

const client = (settings: Partial<AttachedClient> = {}): AttachedClient => ({
  principal: { user: 'owner', token: 'left screen' },
  session: 'attach/1',
  process: { pid: 7, workingDirectory: '/srv/shop', env: { DISPLAY: ':7' } },
  ...settings,
});

function attach(
  serveAttached: ReturnType<typeof attachedServer>,
  settings?: Partial<AttachedClient>,
  served = definition,
) {
  const { streams, ...wire } = lineClient();
  const serving = serveAttached(served, client(settings), streams);
  onTestFinished(() => serving.close());
  return { serving, ...wire };
}

/** The caller of a first call. */
async function callerOf({ send, next }: Pick<ReturnType<typeof lineClient>, 'send' | 'next'>) {
  for (const message of [INITIALIZE, toolCall(2, 'who')]) {
    send(message);
    await next();
  }
  const [caller] = callers.splice(0);
  return caller;
}

test('an attached client is its own session with its name, project and environment', async () => {
  const serveAttached = attachedServer({ log: silentLog });
  const first = await callerOf(attach(serveAttached));
  const env = { CLAUDE_PROJECT_DIR: '/srv/blog' };
  const other = { session: 'attach/2', process: { pid: 8, workingDirectory: undefined, env } };
  const second = await callerOf(attach(serveAttached, other));
  expect(first).toMatchObject({
    principal: { user: 'owner', token: 'left screen' },
    session: 'attach/1',
    project: 'shop',
    process: { workingDirectory: '/srv/shop', env: { DISPLAY: ':7' } },
  });
  expect(first?.label()).toBe('left screen · shop');
  expect(second).toMatchObject({ session: 'attach/2', project: 'blog' });
  expect(second?.key).not.toBe(first?.key);
});

test('the open requests of an attached client are those without an answer', async () => {
  const held = gate();
  const { serving, send, next } = attach(attachedServer({ log: silentLog }), {}, echoServer(held));
  send(INITIALIZE);
  await next();
  send(toolCall(2, 'wait'));
  await held.entered.promise;
  expect(serving.openRequests()).toBe(1);
  held.opened.resolve();
  expect(await next()).toMatchObject({ id: 2, result: { content: [{ text: 'done' }] } });
  expect(serving.openRequests()).toBe(0);
});

test('the name of a client on stdio is in its principal', async () => {
  const { streams, ...wire } = lineClient();
  const serving = await serve(definition, {
    streams,
    clientName: 'left screen',
    log: silentLog,
    ownsProcess: false,
  });
  onTestFinished(() => serving.close());
  expect((await callerOf(wire))?.principal).toStrictEqual({ user: 'owner', token: 'left screen' });
});

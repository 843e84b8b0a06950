import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { logindAt } from '../testing/logind.ts';
import { DesktopNotifications } from './notifications.ts';

/** A bus that does not exist yet. */
function place() {
  const socket = join(temporaryFolder(), 'bus');
  return { socket, session: { address: `unix:path=${socket}`, userId: process.getuid?.() ?? 0 } };
}

test('the servers of one process share a connection to the session bus', async () => {
  const { socket, session } = place();
  const bus = await logindAt(socket, []);
  const [one, other] = await Promise.all([
    DesktopNotifications.on(session),
    DesktopNotifications.on(session),
  ]);
  expect(other).toBe(one);
  expect(bus.clients.size).toBe(1);

  for (const client of bus.clients) client.destroy();
  await expect.poll(() => bus.clients.size).toBe(0);
  await expect.poll(async () => (await DesktopNotifications.on(session)) === one).toBe(false);
  expect(bus.clients.size).toBe(1);
});

test('a bus that did not answer is asked again', async () => {
  const { socket, session } = place();
  await expect(DesktopNotifications.on(session)).rejects.toThrow('ENOENT');
  await logindAt(socket, []);
  expect(await DesktopNotifications.on(session)).toBeInstanceOf(DesktopNotifications);
});

test('a click is not lost that this process reads together with the number of its notification', async () => {
  const { socket, session } = place();
  await logindAt(socket, []);
  const daemon = await DesktopNotifications.on(session);
  const ended = await new Promise((onEnd) => {
    void daemon.show({ title: 'a', text: 'b', urgency: 'low', clickLabel: 'Show', onEnd });
  });
  expect(ended).toBe('clicked');
});

import { readOptions } from '@deskside/core/program';
import { connectInProcess } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { popupOptions } from '../options.ts';
import { popupServer } from '../server.ts';
import { scriptedPopup } from '../testing/scripted-popup.ts';

const exchanges = Array.from({ length: 7 }, (_, index) => ({
  message: `question ${index}`,
  reply: 'yes',
  at: new Date(index),
}));

test.each([
  [{}, 5],
  [{ 'history-limit': '2' }, 2],
  [{ 'history-limit': '50' }, 7],
  [{ 'history-limit': '0' }, 0],
])('with the flags %j a popup shows the latest %i of seven exchanges', async (flags, shown) => {
  const { historyLimit } = readOptions(popupOptions, { flags, env: {} });
  const seen: unknown[] = [];
  await using popup = scriptedPopup({
    historyLimit,
    history: { recent: async (limit) => exchanges.slice(-limit), add: async () => undefined },
    person({ history }) {
      seen.push(history);
      return { kind: 'cancelled' };
    },
  });
  await using peer = await connectInProcess(popupServer(popup), { era: 'modern', over: 'stdio' });
  await peer.callTool('notify', { message: 'Well?' });
  expect(seen).toStrictEqual([exchanges.slice(7 - shown)]);
});

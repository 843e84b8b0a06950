import { join } from 'node:path';
import { openJournal } from '@deskside/desktop';
import { silentLog } from '@deskside/core';
import { loadNewestNotifications } from '@deskside/log-notify';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openBuiltIn } from '../mounts/built-in.ts';
import { systemCall } from '@deskside/gateway';

test('the texts of notifications are those of the file, also of another one in deskside.toml, with the ids of their records', async () => {
  const home = temporaryFolder();
  const env = { HOME: home, DISPLAY: '' };
  // Without XDG_STATE_HOME the file is in the home folder: never that of the person who runs the tests.
  for (const name of ['HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME']) vi.stubEnv(name, home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const settings = { file: join(home, 'own.jsonl') };
  await using journal = openJournal({ folder: join(home, 'journal'), log: silentLog });
  const opened = await openBuiltIn(env, { mounts: ['log'], settings: { log: settings }, journal });
  const [log] = opened.mounts;
  for (const level of ['error', 'info'])
    if (log !== undefined)
      await systemCall(log, 'notify', { message: `A\u202e\n${level}`, level }, 'owner', silentLog);
  await opened[Symbol.asyncDispose]();
  const ids = (await journal.records()).map(({ id }) => id);
  expect(ids).toHaveLength(2);
  const newestNotifications = await loadNewestNotifications();
  expect(await newestNotifications(10, { env, settings })).toStrictEqual([
    { id: ids[0], level: 'error', message: 'A\u202e\nerror' },
    { id: ids[1], level: 'info', message: 'A\u202e\ninfo' },
  ]);
  expect(await newestNotifications(1, { env, settings })).toHaveLength(1);
  expect(await newestNotifications(10, { env, settings: {} })).toStrictEqual([]);
});

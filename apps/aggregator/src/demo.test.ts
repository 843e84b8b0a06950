import { silentLog } from '@deskside/core';
import { connectInProcess, firstText, LEGS } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { openDesk } from './open-desk.ts';
import { userHome } from './testing/user-home.ts';

test('a desk with demo data has manictime, whatever other data is set', async () => {
  userHome();
  const env = { MANICTIME_DATA_DIR: '/no/such/folder' };
  const timelines = async (demo: boolean) => {
    await using desk = await openDesk({ mounts: ['manictime'], demo }, { env, log: silentLog });
    await using peer = await connectInProcess(desk.aggregator.definition, LEGS[0]);
    return firstText(await peer.callTool('manictime_get_timelines', {}));
  };
  expect(await timelines(false)).toContain('DATABASE_NOT_FOUND');
  expect(await timelines(true)).toMatch(/"timelines":\[\{/);
});

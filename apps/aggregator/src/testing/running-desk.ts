import { type Log, silentLog } from '@deskside/core';
import { folders } from '@deskside/core/program';
import { createAggregator, type Mount } from '@deskside/gateway';
import { openPage } from '@deskside/page/testing/open-page';
import { attachDesk } from './attach-desk.ts';
import { userHome } from './user-home.ts';

/** A running desk of this user, with its page. */
export async function runningDesk(mounts: readonly Mount[] = [], log: Partial<Log> = {}) {
  const { folder } = userHome();
  const opened = await openPage();
  const aggregator = await createAggregator({ mounts });
  const more = { isExplicit: true, user: 'owner', log: { ...silentLog, ...log }, page: opened.page };
  await attachDesk(folders().data, { aggregator, ...more });
  return { ...opened, home: folder };
}

import { type Log, silentLog } from '@deskside/core';
import { folders } from '@deskside/core/program';
import { createAggregator, type Mount } from '@deskside/gateway';
import { openPage } from '@deskside/page/testing/open-page';
import { onTestFinished } from 'vitest';
import { openAttachServer } from '../attach/attach-server.ts';
import { SELF } from './commands.ts';
import { userHome } from './user-home.ts';

/** A running desk of this user, with its page. */
export async function runningDesk(mounts: readonly Mount[] = [], log: Partial<Log> = {}) {
  const { folder } = userHome();
  const opened = await openPage();
  const server = await openAttachServer({
    self: SELF,
    data: folders().data,
    settings: {},
    isExplicit: true,
    user: 'owner',
    log: { ...silentLog, ...log },
    aggregator: await createAggregator({ mounts }),
    page: opened.page,
  });
  onTestFinished(() => server?.close());
  return { ...opened, home: folder };
}

import type { ClientDesktop, InboxRequest } from '@deskside/desktop';

/** News of ours. */
export const REMINDER: InboxRequest = {
  kind: 'news',
  message: 'Agents wrote while you could not see this screen.',
  title: 'Missed messages',
  theme: 'auto',
  showsHistory: false,
  chimes: false,
  caller: 'Deskside',
  isOwn: true,
};

/** News that was not closed when its server ended. */
export interface OpenNews {
  readonly request: InboxRequest;
  /** On whose screen it belongs; undefined means that of this process. */
  readonly client: ClientDesktop | undefined;
}

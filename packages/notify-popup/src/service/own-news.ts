import type { InboxRequest } from '@deskside/desktop';

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

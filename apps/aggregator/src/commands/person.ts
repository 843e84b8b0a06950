import { randomUUID } from 'node:crypto';
import { silentLog } from '@deskside/core';
import { DEFAULT_USER } from '@deskside/core/base';
import { type CommandContext, openUserJournal, readOptions } from '@deskside/core/cli';
import type { Approval } from '@deskside/notify-popup';

/** What only the person decides, because a program that runs as the person could run the command, too. */
export interface PersonQuestion {
  readonly text: string;
  /** All that is accepted by it. */
  readonly about: Approval['arguments'];
  /** What a server lists, and nothing that lets a call run unasked: `--yes` accepts it. */
  readonly isListing?: boolean;
}

/** @returns undefined without a display */
export async function askInWindow(
  { text, about }: PersonQuestion,
  { env, note, closed }: CommandContext,
): Promise<boolean | undefined> {
  const { openPopup, popupOptions } = await import('@deskside/notify-popup');
  const settings = readOptions(popupOptions, { flags: {}, env });
  await using popup = openPopup({ ...settings, history: false }, { env });
  const outcome = await popup.inbox.ask(
    {
      kind: 'approval',
      message: text,
      title: 'Deskside: your decision',
      theme: popup.theme,
      showsHistory: false,
      chimes: false,
      caller: 'A command in a shell',
      approval: { arguments: about, calls: 1, more: [], isExact: false },
    },
    {
      item: { id: randomUUID(), user: DEFAULT_USER },
      session: undefined,
      signal: closed,
      log: {
        ...silentLog,
        debug: (message) => message === 'popup accepts keys' && note('Answer in the window.'),
      },
    },
  );
  switch (outcome.kind) {
    case 'allowed':
      await record('allowed');
      return true;
    case 'no-display':
    case 'failed':
      return undefined;
    case 'denied':
      await record('denied');
      if (outcome.text.trim() !== '') note(`Denied: ${outcome.text}`);
      return false;
    default:
      return false;
  }
}

/** A window that does not open is no decision. */
async function record(outcome: 'allowed' | 'denied'): Promise<void> {
  await using journal = openUserJournal(silentLog);
  journal
    .begin({ kind: 'approval', caller: 'A command in a shell', user: DEFAULT_USER })
    .end(outcome, 'window');
}

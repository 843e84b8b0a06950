import { readFile, rm } from 'node:fs/promises';
import * as z from 'zod';
import { notifyDesktop } from '../desktop/notification.ts';
import { desktopSessions } from '../desktop/session.ts';
import { SharedDesk } from '../desktop/shared-desk.ts';
import { currentSystem, openRuntimePlace } from '../desktop/system.ts';
import { systemTheme } from '../desktop/theme.ts';
import { noHistory } from '../history/history.ts';
import { memoryDraftStore } from '../history/drafts.ts';
import { type Inbox, openUserJournal, Quiet } from '@deskside/desktop';
import { type Scheduler, systemClock } from '@deskside/core/base';
import { createInbox } from '../service/inbox.ts';
import type { OpenNews } from '../service/own-news.ts';
import { DRIVER_NAMES } from './driver.ts';
import { runHelper } from './news-holder.ts';
import { windowDrivers, windowPresenter } from './presenter.ts';

/** News of a server that has ended is on the screen for this time at most. */
const SHOWN_S = 60;

/** The address of this module, for the process that runs it. */
export const url = import.meta.url;

const NO_LOG = { debug: () => undefined, info: () => undefined, warn: () => undefined };

const newsFile = z.object({
  presenter: z.enum(['auto', ...DRIVER_NAMES]),
  browser: z.string().optional(),
  plain: z.boolean(),
  profiles: z.string(),
  keepsNothing: z.boolean(),
  news: z.array(
    z.object({
      request: z.object({
        kind: z.literal('news'),
        message: z.string(),
        title: z.string(),
        timeout: z.number().exactOptional(),
        theme: z.enum(['auto', 'light', 'dark']),
        showsHistory: z.boolean(),
        chimes: z.boolean(),
        caller: z.string(),
      }),
      client: z.object({ pid: z.number(), env: z.record(z.string(), z.string()) }),
    }),
  ),
});

/** The program of the helper. */
export async function showNews(file: string): Promise<void> {
  await runHelper(await openRuntimePlace(currentSystem(), 'news'), file, showFile);
}

async function showFile(path: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  await rm(path);
  const { news, profiles, plain, keepsNothing, ...choice } = newsFile.parse(JSON.parse(text));
  const system = currentSystem();
  const sessionOf = desktopSessions(system, choice.presenter !== 'auto');
  // "Not now" holds for the helper, too.
  await using journal = openUserJournal();
  await using inbox = createInbox({
    presenter: windowPresenter({
      sessionOf,
      drivers: (current) => windowDrivers(choice, { system: current, folder: profiles, keepsNothing }),
      plain,
      systemTheme,
    }),
    desk: new SharedDesk(() => openRuntimePlace(system, 'queue')),
    history: noHistory,
    historyLimit: 0,
    drafts: memoryDraftStore(),
    quiet: new Quiet(journal, systemClock),
    chime: () => undefined,
    handOver: async () => undefined,
  });
  await showInTurn(news, {
    inbox,
    clock: systemClock,
    notify: ({ request: { title, message }, client }) =>
      notifyDesktop(title, message, sessionOf(client).system),
  });
}

export interface NewsScreen {
  readonly inbox: Inbox;
  readonly clock: Scheduler;
  /** Shows it without a window. */
  readonly notify: (news: OpenNews) => Promise<unknown>;
}

/**
 * Shows one after the other, all of them for at most 60 s. What does not come on the screen in this time becomes a
 * notification of the system.
 */
export async function showInTurn(
  news: readonly OpenNews[],
  { inbox, clock, notify }: NewsScreen,
): Promise<void> {
  const stop = new AbortController();
  const ended = Promise.withResolvers<false>();
  const cancelTimer = clock.after(SHOWN_S * 1000, () => {
    stop.abort();
    ended.resolve(false);
  });
  for (const each of news) {
    const { request, client } = each;
    const closed = Promise.withResolvers<boolean>();
    const timeout = Math.min(request.timeout ?? SHOWN_S, SHOWN_S);
    const outcome = await inbox.ask(
      { ...request, timeout, chimes: false },
      { session: undefined, signal: stop.signal, log: NO_LOG, client, onEnd: closed.resolve },
    );
    const isOpen = outcome.kind === 'displayed' || outcome.kind === 'waits';
    const wasShown = isOpen && (await Promise.race([closed.promise, ended.promise]));
    if (!wasShown && outcome.kind !== 'displayed') await notify(each);
  }
  cancelTimer();
}

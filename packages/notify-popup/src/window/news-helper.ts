import { readFile, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { errnoOf } from '@deskside/core/errors';
import { z } from 'zod';
import { notifyDesktop } from '../desktop/notification.ts';
import { desktopSessions } from '../desktop/session.ts';
import { sharedDesk } from '../desktop/shared-desk.ts';
import { currentSystem, openRuntimeFolder } from '../desktop/system.ts';
import { systemTheme } from '../desktop/theme.ts';
import { noHistory } from '../history/conversation-log.ts';
import { memoryDraftStore } from '../history/drafts.ts';
import { createInbox } from '../service/inbox.ts';
import { DRIVER_NAMES } from './driver.ts';
import { giveToRunningHelper, helperAddress, NEWS_FILE } from './hand-over.ts';
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
      kind: z.literal('news'),
      message: z.string(),
      title: z.string(),
      timeout: z.number().optional(),
      theme: z.enum(['auto', 'light', 'dark']),
      showsHistory: z.boolean(),
      chimes: z.boolean(),
      caller: z.string(),
    }),
  ),
});

/**
 * The program of the helper: shows the news in a file, and in the files that other servers send meanwhile, and ends with
 * the last window. One helper runs per user.
 */
export async function showNews(file: string): Promise<void> {
  const folder = await openRuntimeFolder(currentSystem());
  const open = new Set<Promise<void>>();
  const accept = (name: string) => {
    const shown = showFile(join(folder, name)).finally(() => open.delete(shown));
    open.add(shown);
  };
  const server = createServer((socket) => receive(socket, accept));
  if (!(await listen(server, helperAddress(folder), () => giveToRunningHelper(folder, file)))) return;
  accept(file);
  while (open.size > 0) await Promise.all(open);
  server.close();
}

function receive(socket: Socket, accept: (name: string) => void): void {
  socket.setEncoding('utf8');
  socket.on('error', () => undefined);
  socket.on('data', (name: string) => {
    if (!NEWS_FILE.test(name)) return socket.destroy();
    accept(name);
    return socket.end('ok');
  });
}

/** @returns false if another helper runs and has taken over */
async function listen(
  server: ReturnType<typeof createServer>,
  address: string,
  give: () => Promise<boolean>,
): Promise<boolean> {
  const tryOnce = () =>
    new Promise<boolean>((resolve, reject) => {
      server.once('error', (error) => (errnoOf(error) === 'EADDRINUSE' ? resolve(false) : reject(error)));
      server.listen(address, () => resolve(true));
    });
  if (await tryOnce()) return true;
  if (await give()) return false;
  // A helper that was killed leaves its socket file behind.
  await rm(address, { force: true });
  return tryOnce();
}

async function showFile(path: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  await rm(path);
  const { news, profiles, plain, keepsNothing, ...choice } = newsFile.parse(JSON.parse(text));
  const system = currentSystem();
  const sessionOf = desktopSessions(system, choice.presenter !== 'auto');
  await using inbox = createInbox({
    presenter: windowPresenter({
      sessionOf,
      drivers: (current) => windowDrivers(choice, { system: current, folder: profiles, keepsNothing }),
      plain,
      systemTheme,
    }),
    desk: sharedDesk(() => openRuntimeFolder(system)),
    history: noHistory,
    historyLimit: 0,
    drafts: memoryDraftStore(),
    chime: () => undefined,
    handOver: async () => undefined,
  });
  const end = AbortSignal.timeout(SHOWN_S * 1000);
  const ended = new Promise<false>((resolve) => {
    end.addEventListener('abort', () => resolve(false), { once: true });
  });
  for (const request of news) {
    const closed = Promise.withResolvers<boolean>();
    const timeout = Math.min(request.timeout ?? SHOWN_S, SHOWN_S);
    const caller = { session: undefined, signal: end, log: NO_LOG, onEnd: closed.resolve };
    const outcome = await inbox.ask({ ...request, timeout, chimes: false }, caller);
    const isOpen = outcome.kind === 'displayed' || outcome.kind === 'waits';
    const wasShown = isOpen && (await Promise.race([closed.promise, ended]));
    if (!wasShown && outcome.kind !== 'displayed') {
      await notifyDesktop(request.title, request.message, sessionOf().system);
    }
  }
}

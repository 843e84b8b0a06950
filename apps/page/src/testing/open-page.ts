import { join } from 'node:path';
import { silentLog } from '@deskside/core';
import { withDefaults } from '@deskside/core/program';
import { DEFAULT_USER, systemClock } from '@deskside/core/base';
import { DAY, formatDate, localTime } from '@deskside/core/dates';
import { openJournal, type InboxRequest, type PopupOutcome } from '@deskside/desktop';
import { leaveNote, type Mount, systemCall } from '@deskside/gateway';
import { manictimeOptions, manictimeServer, openManicTime, originOf } from '@deskside/manictime';
import { writeDataFolder } from '@deskside/manictime/testing';
import { openForPerson } from '@deskside/notify-popup';
import { scriptedPopup } from '@deskside/notify-popup/testing/scripted-popup';
import { temporaryFolder } from '@deskside/testkit';
import { openTodo, todoServer } from '@deskside/todo';
import { onTestFinished } from 'vitest';
import { KEY_HEADER, type PageAnswer, type PageClient, type PageEvent } from '../browser/protocol.ts';
import { DeskPage } from '../desk-page.ts';
import { LateInbox } from '../late-inbox.ts';

/** What an agent could try to get into a page. */
export const HOSTILE = '<img src=x onerror="document.title=\'hacked\'"><b>bold</b> & \u202Egpj.exe';

/** The mounts that the page shows, as a desk opens them. */
function openMounts(database: string, dataDir: string | undefined) {
  const todo = openTodo({ database });
  const settings = withDefaults(manictimeOptions, { dataDir });
  const manictime = dataDir === undefined ? undefined : openManicTime(settings, originOf(settings, {}));
  const mounts: readonly Mount[] = [
    { id: 'todo', definition: todoServer(todo) },
    ...(manictime === undefined ? [] : [{ id: 'manictime', definition: manictimeServer(manictime) }]),
  ];
  return {
    mounts,
    user: DEFAULT_USER,
    async [Symbol.asyncDispose]() {
      await todo[Symbol.asyncDispose]();
      await manictime?.[Symbol.asyncDispose]();
    },
  };
}

/** The page of a desk with a real inbox, whose windows a script opens, a real journal, tasks and a recorded day. */
export async function openPage({
  /** Whether ManicTime has recorded the two days before this one. */
  recorded = false,
  clients = [] as readonly PageClient[],
  plain = false,
  clock = systemClock,
} = {}) {
  const folder = temporaryFolder();
  const places = { state: join(folder, 'state'), runtime: [] };
  const journal = openJournal({ places, log: silentLog, clock });
  const popup = scriptedPopup({ journal, plain });
  const inbox = new LateInbox();
  inbox.set(popup);
  const database = join(folder, 'todo.sqlite');
  const dataDir = join(folder, 'manictime');
  const env = { TODO_DATABASE_URL: database, MANICTIME_DATA_DIR: dataDir };
  if (recorded) {
    const until = formatDate(localTime(Math.floor(Date.now() / 1000)) - DAY);
    await writeDataFolder({ folder: dataDir, profile: 'light', days: 2, until, seed: 1 });
  }
  const opened = openMounts(database, recorded ? dataDir : undefined);
  const page = new DeskPage({
    inbox,
    async call(id, tool, args) {
      const mount = opened.mounts.find((each) => each.id === id);
      return mount && systemCall(mount, tool, args, opened.user, silentLog);
    },
    leaveNote,
    open: openForPerson,
    env: { ...env, PATH: process.env['PATH'] },
    journal,
    log: silentLog,
  });
  page.agents = { list: () => clients, process: () => undefined };
  onTestFinished(async () => {
    await page[Symbol.asyncDispose]();
    await popup[Symbol.asyncDispose]();
    await opened[Symbol.asyncDispose]();
    await journal[Symbol.asyncDispose]();
  });
  const link = await page.link();
  const { origin, hash } = new URL(link);

  /** An agent asks. */
  function ask(message: string, changes: Partial<InboxRequest> = {}): Promise<PopupOutcome> {
    return popup.inbox.ask(
      {
        kind: 'question',
        message,
        title: 'Question',
        theme: 'auto',
        showsHistory: false,
        chimes: false,
        caller: 'claude · web-shop',
        ...changes,
      },
      { session: undefined, signal: new AbortController().signal, log: silentLog },
    );
  }

  /** An agent claims a task. */
  async function claim(label: string, id: number, leaseMs: number): Promise<void> {
    await using todo = openTodo({ database });
    const caller = { actor: opened.user, user: opened.user, tool: 'claim_task' };
    await (await todo.store()).claim(caller, { id, holder: { key: label, label }, leaseMs });
  }

  /** @returns the id of the item that asks this */
  function idOf(message: string): string {
    let found = '';
    inbox.subscribe((change) => {
      if (change.kind === 'open' && change.item.message === message) found = change.item.id;
    })();
    return found;
  }

  const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  /** Exchanges the secret of a link, as the page does. */
  async function keyOf(address = link): Promise<string> {
    const response = await post('/key', { secret: new URL(address).hash.slice(1) });
    if (!response.ok) return '';
    return ((await response.json()) as { readonly key: string }).key;
  }

  const answer = async (key: string, id: string, given: PageAnswer) =>
    (await post('/answer', { id, answer: given }, { [KEY_HEADER]: key })).status;

  /** The first events of a kind on a new page. */
  async function eventsOf<Type extends PageEvent['type']>(key: string, type: Type, count: number) {
    const ending = new AbortController();
    const { body } = await fetch(`${origin}/events`, {
      headers: { [KEY_HEADER]: key },
      signal: ending.signal,
    });
    const found: (PageEvent & { readonly type: Type })[] = [];
    let rest = '';
    for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const event: PageEvent = JSON.parse(line);
        if (event.type === type) found.push(event as PageEvent & { readonly type: Type });
      }
      if (found.length >= count) break;
    }
    ending.abort();
    return found;
  }

  return {
    eventsOf,
    page,
    popup,
    journal,
    opened,
    link,
    origin,
    hash,
    ask,
    claim,
    idOf,
    post,
    keyOf,
    answer,
  };
}

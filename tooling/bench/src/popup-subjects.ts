import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openPopup } from '@deskside/notify-popup';
import { end, type Screen } from './popup-screen.ts';

/** Shows one window and takes it away; milliseconds until the person could have read it. */
export type Show = (home: string) => Promise<number>;

const question = {
  message: 'Shall I go on?',
  title: 'VoiceMode',
  waitsForResponse: false,
  theme: 'light',
  showsHistory: true,
  chimes: false,
} as const;

const silent = { debug: () => undefined, warn: () => undefined };

/** From the call to the page's second frame; the profile lies under the state folder of `home`. */
export const ours: Show = async (home) => {
  Object.assign(process.env, environment(home));
  const popup = openPopup({ presenter: 'chromium' });
  const startedAt = performance.now();
  const outcome = await popup.service.ask(question, {
    session: 'bench',
    signal: new AbortController().signal,
    log: silent,
  });
  const took = performance.now() - startedAt;
  flags ??= browserFlags(home);
  await popup[Symbol.asyncDispose]();
  if (outcome.kind !== 'displayed') throw new Error(`no popup: ${JSON.stringify(outcome)}`);
  return took;
};

/** The popup of a server that keeps its browser from one question to the next. */
export function keptBrowser(screen: Screen, home: string): AsyncDisposable & { show(): Promise<number> } {
  Object.assign(process.env, environment(home));
  const popup = openPopup({ presenter: 'chromium', prewarm: 'after-first' });
  return {
    async show() {
      await screen.isEmpty();
      const cancel = new AbortController();
      const shown = Promise.withResolvers<void>();
      const debug = (message: string) => void (message === 'popup shown' && shown.resolve());
      const startedAt = performance.now();
      const outcome = popup.service.ask(
        { ...question, waitsForResponse: true },
        { session: 'bench', signal: cancel.signal, log: { debug, warn: debug } },
      );
      await shown.promise;
      const took = performance.now() - startedAt;
      cancel.abort();
      await outcome;
      await screen.isEmpty();
      return took;
    },
    async [Symbol.asyncDispose]() {
      await popup[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** From the call to the answer that there is no display; `DISPLAY` names one where nobody listens. */
export const noDisplay: Show = async (home) => {
  Object.assign(process.env, environment(home));
  const display = process.env['DISPLAY'];
  process.env['DISPLAY'] = ':9977';
  await using popup = openPopup();
  const startedAt = performance.now();
  const outcome = await popup.service.ask(question, {
    session: 'bench',
    signal: new AbortController().signal,
    log: silent,
  });
  const took = performance.now() - startedAt;
  process.env['DISPLAY'] = display;
  if (outcome.kind !== 'no-display') throw new Error(`a popup: ${JSON.stringify(outcome)}`);
  return took;
};

/** What our browser was started with. */
let flags: readonly string[] | undefined;

function browserFlags(home: string): readonly string[] {
  const commands = globSync('/proc/[0-9]*/cmdline').map(commandAt);
  const [, ...args] =
    commands.find(
      (words) => words.some((word) => word.startsWith('--app=')) && words.join(' ').includes(home),
    ) ?? [];
  if (args.length === 0) throw new Error('the popup has no browser');
  return args.filter(
    (word) => word !== '' && !word.startsWith('--app=') && !word.startsWith('--user-data-dir='),
  );
}

function commandAt(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\0');
  } catch {
    return [];
  }
}

const emptyPage = `<!doctype html><title>bare</title><textarea autofocus></textarea><script>
requestAnimationFrame(() => requestAnimationFrame(() => fetch('/ready', { method: 'POST' })))</script>`;

/** `chromium --app` with the flags that ours has, from its start to the second frame of an empty page. */
export const bare: Show = async (home) => {
  if (flags === undefined) throw new Error('ours has to be shown first');
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html').end(request.method === 'GET' ? emptyPage : '');
    if (request.method === 'POST') server.emit('ready');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ready = once(server, 'ready');
  const startedAt = performance.now();
  const profile = `--user-data-dir=${join(home, 'bare')}`;
  const browser = spawn('chromium', [...flags, profile, `--app=http://127.0.0.1:${port}/`], {
    detached: true,
    stdio: 'ignore',
  });
  await ready;
  const took = performance.now() - startedAt;
  await end(browser, true);
  server.close();
  server.closeAllConnections();
  return took;
};

const tk =
  'import tkinter; w = tkinter.Tk(); tkinter.Label(w, text="Shall I go on?").pack(); tkinter.Entry(w).pack(); w.mainloop()';

export const zenity = (screen: Screen): Show =>
  program(screen, () => spawn('zenity', ['--entry', '--text=Shall I go on?'], { stdio: 'ignore' }));
export const tkinter = (screen: Screen): Show =>
  program(screen, () => spawn('/usr/bin/python3', ['-c', tk], { stdio: 'ignore' }));

/** From the start of a program to its window. */
function program(screen: Screen, start: () => ChildProcess): Show {
  return async () => {
    await screen.isEmpty();
    const startedAt = performance.now();
    const child = start();
    await screen.hasWindow();
    const took = performance.now() - startedAt;
    await end(child);
    return took;
  };
}

function environment(home: string): Record<string, string> {
  return {
    XDG_RUNTIME_DIR: join(home, 'run'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_DATA_HOME: join(home, 'data'),
  };
}

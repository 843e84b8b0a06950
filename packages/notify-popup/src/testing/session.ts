import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { openDesktop } from './desktop.ts';

/** Longer than all attempts of all browsers. Without it a proof would wait for hours. */
const LOG_LIMIT_MS = 100_000;

const bin = join(import.meta.dirname, '../../dist/bin/cli.js');

/** A desktop with its own home folder, and a client of the bin on it. */
export async function openSession(flags: readonly string[] = []) {
  const folder = temporaryFolder();
  const { path: home } = folder;
  const desktop = await openDesktop(home);
  const client = await connectPopup(desktop.env, flags);
  return {
    home,
    desktop,
    client,
    /** Asks. Resolves when the popup is on the screen, has the keyboard and accepts keys: with the result, and its text. */
    async ask(args: Record<string, unknown> = {}, signal?: AbortSignal) {
      const since = client.now();
      const options = signal === undefined ? {} : { signal };
      const result = client.call({ message: 'Which one?', ...args }, options);
      const answer = result.then(textOf);
      const ended = answer.then((text) => {
        throw new Error(`The call ended before its popup was shown: ${text}\n${client.log()}`);
      });
      ended.catch(() => undefined);
      await Promise.race([client.logged('popup shown', since), ended]);
      await client.acceptsKeys(since);
      // Each look at the screen starts three programs.
      await desktop.popupHasKeyboard();
      return { result, answer };
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await desktop[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

const textOf = ({ content }: CallToolResult) => (content[0]?.type === 'text' ? content[0].text : '');

export interface NotifyOptions {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
}

/** How a host starts a server with a popup. */
const STANDALONE = { args: [bin, '--log-level', 'debug'], tool: 'notify' };
/** Attaches to the desk of the user, and starts it. `pnpm run build` writes it. */
export const DESK: typeof STANDALONE = {
  args: [join(import.meta.dirname, '../../../../apps/aggregator/dist/bin/cli.js'), 'stdio'],
  tool: 'popup_notify',
};

export type Session = Awaited<ReturnType<typeof openSession>>;

export type PopupClient = Awaited<ReturnType<typeof connectPopup>>;

/** A client of the bin over stdio, as a host starts it. */
export async function connectPopup(
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
  name = 'Example host',
  { args, tool } = STANDALONE,
) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args, ...flags],
    env: { ...env },
    stderr: 'pipe',
  });
  const client = new Client({ name, version: '1.0.0' });
  let stderr = '';
  const watchers = new Set<() => void>();
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
    for (const watch of watchers) watch();
  });
  await client.connect(transport);
  const { pid } = transport;
  if (pid === null) throw new Error('the server has no process');

  /** Resolves when the log satisfies the condition. */
  const until = (condition: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = () => {
        watchers.delete(look);
        clearTimeout(limit);
      };
      const look = () => {
        if (!condition()) return;
        end();
        resolve();
      };
      const limit = setTimeout(() => {
        end();
        reject(new Error(`The server did not log it in time.\n${stderr}`));
      }, LOG_LIMIT_MS);
      watchers.add(look);
      look();
    });

  function messagesSince(since: number): readonly string[] {
    const lines = stderr
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('{'));
    const records = lines.map((line): { time: string; message: string } => JSON.parse(line));
    return records.filter(({ time }) => Date.parse(time) > since).map(({ message }) => message);
  }

  /** Calls `notify`. @returns the whole result */
  const call = async (given: Record<string, unknown>, options: NotifyOptions = {}) =>
    (await client.callTool({ name: tool, arguments: given }, undefined, {
      timeout: 60_000,
      ...options,
    })) as CallToolResult;

  return {
    pid,
    call,
    /** Calls `notify`. @returns the text of the first block */
    notify: async (args: Record<string, unknown>, options?: NotifyOptions) =>
      textOf(await call(args, options)),
    /** The server's log so far. */
    log: () => stderr,
    /** For `logged`. The end of the log would not do: lines of before can come after an answer. */
    now: () => Date.now(),
    /** Resolves when the server has logged this message since then. */
    logged: (message: string, since: number) => until(() => messagesSince(since).includes(message)),
    /** Resolves when the popup accepts keys: it has the keyboard, and no guard interval runs. */
    acceptsKeys: (since: number) =>
      until(() => {
        const log = messagesSince(since);
        return log.lastIndexOf('popup accepts keys') > log.lastIndexOf('popup ignores keys');
      }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Ids of the processes that use the popup's browser profile in this home folder. */
export function browserProcesses(home: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandOf(pid).includes(`--user-data-dir=${join(home, '.local/state')}`))
    .map(Number);
}

/** Programs that outlive the browser, and write down what was in its memory if it crashes. */
export function crashReporters(home: string): string[] {
  return readdirSync('/proc')
    .map(commandOf)
    .filter((command) => command.includes(`--database=${home}`));
}

/** Files that a closed popup must not leave: profile locks, redirect files, and what a crash of the browser reports. */
export function leftovers(home: string): string[] {
  return [
    ...globSync('.local/state/deskside/popup-browser/*/{Singleton*,Crash Reports}', { cwd: home }),
    ...globSync('{.config,config}/{chromium,google-chrome}', { cwd: home }),
    ...globSync('.local/state/deskside/popup/*.html', { cwd: home }),
  ];
}

/** The texts that were typed in this home folder and not sent. */
export function draftsIn(home: string): readonly string[] {
  return globSync('**/popup-drafts/*.json', { cwd: home }).map((file) =>
    String(JSON.parse(readFileSync(join(home, file), 'utf8')).text),
  );
}

/** False while a window opens: the file that leads to the page is deleted when the page is painted. */
export const isPainted = (home: string): boolean =>
  globSync('.local/state/deskside/popup/popup-*.html', { cwd: home }).length === 0;

/** The command lines of those processes, which every local user can read. */
export function browserCommands(home: string): string[] {
  return browserProcesses(home).map((pid) => commandOf(String(pid)));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

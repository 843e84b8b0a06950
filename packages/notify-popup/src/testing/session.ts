import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type Desktop, openDesktop } from './desktop.ts';

const bin = join(import.meta.dirname, '../../dist/bin/cli.js');

/** A desktop with its own home folder, and a client of the bin on it. */
export interface Session extends AsyncDisposable {
  readonly home: string;
  readonly desktop: Desktop;
  readonly client: PopupClient;
  /** Asks. Resolves when the popup is on the screen, has the keyboard and accepts keys. */
  ask(args?: Record<string, unknown>, signal?: AbortSignal): Promise<{ readonly answer: Promise<string> }>;
}

export async function openSession(flags: readonly string[] = []): Promise<Session> {
  const home = mkdtempSync(join(tmpdir(), 'popup-'));
  const desktop = await openDesktop(home);
  const client = await connectPopup(desktop.env, flags);
  return {
    home,
    desktop,
    client,
    async ask(args = {}, signal) {
      const since = client.now();
      const options = signal === undefined ? {} : { signal };
      const answer = client.notify({ message: 'Which one?', ...args }, options);
      const ended = answer.then((text) => {
        throw new Error(`The call ended before its popup was shown: ${text}\n${client.log()}`);
      });
      ended.catch(() => undefined);
      await Promise.race([client.logged('popup shown', since), ended]);
      await client.acceptsKeys(since);
      // Each look at the screen starts three programs.
      await desktop.popupHasKeyboard();
      return { answer };
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await desktop[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** A client of the bin over stdio, as a host starts it. */
export interface PopupClient extends AsyncDisposable {
  readonly pid: number;
  /** Calls `notify`. @returns the text of the first block */
  notify(args: Record<string, unknown>, options?: NotifyOptions): Promise<string>;
  /** Calls `notify`. @returns the whole result */
  call(args: Record<string, unknown>, options?: NotifyOptions): Promise<CallToolResult>;
  /** The server's log so far. */
  log(): string;
  /** For `logged`. The end of the log would not do: lines of before can come after an answer. */
  now(): number;
  /** Resolves when the server has logged this message since then. */
  logged(message: string, since: number): Promise<void>;
  /** Resolves when the popup accepts keys: it has the keyboard, and no guard interval runs. */
  acceptsKeys(since: number): Promise<void>;
}

export interface NotifyOptions {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly onprogress?: (progress: { progress: number; message?: string | undefined }) => void;
}

/** How a host starts a server with a popup. */
interface PopupProgram {
  readonly args: readonly string[];
  readonly tool: string;
}

const STANDALONE: PopupProgram = { args: [bin, '--log-level', 'debug'], tool: 'notify' };
/** Attaches to the desk of the user, and starts it. `pnpm run build` writes it. */
export const DESK: PopupProgram = {
  args: [join(import.meta.dirname, '../../../../apps/aggregator/dist/bin/cli.js'), 'stdio'],
  tool: 'popup_notify',
};

export async function connectPopup(
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
  name = 'Example host',
  { args, tool } = STANDALONE,
): Promise<PopupClient> {
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
    new Promise((resolve) => {
      const look = () => {
        if (!condition()) return;
        watchers.delete(look);
        resolve();
      };
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

  const call: PopupClient['call'] = async (given, options = {}) =>
    (await client.callTool({ name: tool, arguments: given }, undefined, {
      timeout: 60_000,
      ...options,
    })) as CallToolResult;

  return {
    pid,
    call,
    async notify(args, options) {
      const { content } = await call(args, options);
      return content[0]?.type === 'text' ? content[0].text : '';
    },
    log: () => stderr,
    now: () => Date.now(),
    logged: (message, since) => until(() => messagesSince(since).includes(message)),
    acceptsKeys: (since) =>
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

/** Files that a closed popup must not leave: profile locks, redirect files, and what a crash of the browser reports. */
export function leftovers(home: string): string[] {
  return [
    ...globSync('.local/state/deskside/popup-browser/*/{Singleton*,Crash Reports}', { cwd: home }),
    ...globSync('{.config,config}/{chromium,google-chrome}', { cwd: home }),
    ...globSync('.local/state/deskside/popup/*.html', { cwd: home }),
  ];
}

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

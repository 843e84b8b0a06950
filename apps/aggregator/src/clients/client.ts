import { posix, win32 } from 'node:path';
import { KNOWN_CLIENTS } from '@deskside/core/desk';

/** The machine that a client runs on. */
export interface Place {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** On Windows: the names of the installed app packages. */
  readonly packages?: readonly string[];
}

/** How a client reaches Deskside. */
export type Entry =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'http'; readonly url: string; readonly token: string };

export type ClientId = 'claude-code' | 'claude-desktop' | 'vscode' | 'cursor' | 'codex' | 'gemini';

/** A program of the client that changes its configuration. */
export interface ClientCommand {
  readonly program: string;
  /** Arguments that add a server. */
  add(name: string, entry: Entry): readonly string[];
  /** Arguments that remove a server. Undefined if the program cannot: then its file is edited. */
  remove?(name: string): readonly string[];
}

/** A client, its configuration file, and the form of its servers. */
export interface Client {
  readonly id: ClientId;
  readonly title: string;
  /** The user's file. */
  file(place: Place): string;
  readonly format: 'json' | 'toml';
  /** The table of the servers in the file. */
  readonly root: string;
  /** One server as the file contains it. */
  value(entry: Entry): Readonly<Record<string, unknown>>;
  /** If the client has one, it is used instead of an edit of the file. */
  readonly command?: ClientCommand;
  /** False for clients that start every server themselves. */
  readonly hasHttp: boolean;
  /** Names of processes that overwrite the file while they run, without `.exe`. */
  readonly ownProcesses?: readonly string[];
  /** What a person must know after a change. */
  readonly note: string;
  /** How its file names variables of the environment, if not as `${env:NAME}`. The first group is the name. */
  readonly references?: readonly RegExp[];
  /** A `url` without a type is an address of SSE. */
  readonly hasSseByDefault?: true;
  /** Only the user can read the file, whichever process writes it. */
  readonly hasPrivateFile?: true;
}

/** A question may wait for a day. */
const CALL_LIMIT_SECONDS = 86_400;

function headersOf(token: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${token}` };
}

function plain(entry: Entry): Readonly<Record<string, unknown>> {
  if (entry.kind === 'stdio') return { command: entry.command, args: entry.args };
  return { url: entry.url, headers: headersOf(entry.token) };
}

function typed(entry: Entry): Readonly<Record<string, unknown>> {
  return { type: entry.kind, ...plain(entry) };
}

/** Codex starts servers without the variables of the desktop, and windows need them. */
const DESKTOP_VARIABLES = [
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'XDG_SESSION_ID',
  'XDG_SESSION_TYPE',
  'XDG_CURRENT_DESKTOP',
  'DBUS_SESSION_BUS_ADDRESS',
];

/** The folder for application data of programs such as VS Code. */
function applicationData({ platform, home, env }: Place): string {
  switch (platform) {
    case 'win32':
      return env['APPDATA'] || win32.join(home, 'AppData', 'Roaming');
    case 'darwin':
      return posix.join(home, 'Library', 'Application Support');
    default:
      return env['XDG_CONFIG_HOME'] || posix.join(home, '.config');
  }
}

/** A package on Windows reads its own copy of the folder for application data. The installer of Claude Desktop is one. */
function claudeData(place: Place): string {
  const name = place.packages?.find((each) => each.startsWith('Claude_'));
  if (name === undefined) return applicationData(place);
  return win32.join(appPackages(place), name, 'LocalCache', 'Roaming');
}

/** Has one folder per app package. */
export function appPackages({ home, env }: Place): string {
  return win32.join(env['LOCALAPPDATA'] || win32.join(home, 'AppData', 'Local'), 'Packages');
}

function join({ platform }: Place, ...parts: readonly string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts);
}

/** As the clients table of core has it. */
function titleOf(client: ClientId): string {
  return KNOWN_CLIENTS.find(({ id }) => id === client)?.title ?? client;
}

export const CLIENTS: readonly Client[] = [
  {
    id: 'claude-code',
    title: titleOf('claude-code'),
    file: (place) => join(place, place.env['CLAUDE_CONFIG_DIR'] || place.home, '.claude.json'),
    format: 'json',
    root: 'mcpServers',
    value: typed,
    // Running sessions write the file all the time, so only its own program may change it.
    command: {
      program: 'claude',
      add: (name, entry) => ['mcp', 'add-json', '--scope', 'user', name, JSON.stringify(typed(entry))],
      remove: (name) => ['mcp', 'remove', '--scope', 'user', name],
    },
    hasHttp: true,
    note: 'Sessions that run use it after /mcp, Reconnect.',
    references: [/\$\{([A-Za-z_]\w*)\}/g],
    hasPrivateFile: true,
  },
  {
    id: 'claude-desktop',
    title: titleOf('claude-desktop'),
    file: (place) => join(place, claudeData(place), 'Claude', 'claude_desktop_config.json'),
    format: 'json',
    root: 'mcpServers',
    value: plain,
    hasHttp: false,
    ownProcesses: ['Claude', 'claude-desktop'],
    note: 'Claude Desktop may drop servers from this file when it starts. Then install the .mcpb file of Deskside instead.',
  },
  {
    id: 'vscode',
    title: titleOf('vscode'),
    file: (place) => join(place, applicationData(place), 'Code', 'User', 'mcp.json'),
    format: 'json',
    root: 'servers',
    value: typed,
    command: {
      program: 'code',
      add: (name, entry) => ['--add-mcp', JSON.stringify({ name, ...typed(entry) })],
    },
    hasHttp: true,
    note: 'VS Code asks whether it may start the server.',
  },
  {
    id: 'cursor',
    title: titleOf('cursor'),
    file: (place) => join(place, place.home, '.cursor', 'mcp.json'),
    format: 'json',
    root: 'mcpServers',
    value: plain,
    hasHttp: true,
    note: 'Enable the server in the settings of Cursor if it is not running.',
  },
  {
    id: 'codex',
    title: titleOf('codex'),
    // Its own program drops comments and cannot write env_vars.
    file: (place) => join(place, place.env['CODEX_HOME'] || join(place, place.home, '.codex'), 'config.toml'),
    format: 'toml',
    root: 'mcp_servers',
    value: (entry) => ({
      ...(entry.kind === 'stdio'
        ? { command: entry.command, args: entry.args, env_vars: DESKTOP_VARIABLES }
        : { url: entry.url, http_headers: headersOf(entry.token) }),
      tool_timeout_sec: CALL_LIMIT_SECONDS,
    }),
    hasHttp: true,
    note: 'Restart Codex to use it.',
  },
  {
    id: 'gemini',
    title: titleOf('gemini'),
    file: (place) => join(place, place.home, '.gemini', 'settings.json'),
    format: 'json',
    root: 'mcpServers',
    value: (entry) => ({
      ...plain(entry),
      ...(entry.kind === 'stdio' ? {} : { type: 'http' }),
      timeout: CALL_LIMIT_SECONDS * 1000,
    }),
    command: {
      program: 'gemini',
      add: (name, entry) => [
        'mcp',
        'add',
        '-s',
        'user',
        '--timeout',
        String(CALL_LIMIT_SECONDS * 1000),
        ...(entry.kind === 'stdio'
          ? [name, entry.command, ...entry.args]
          : ['-t', 'http', '-H', `Authorization: Bearer ${entry.token}`, name, entry.url]),
      ],
      remove: (name) => ['mcp', 'remove', '-s', 'user', name],
    },
    hasHttp: true,
    note: 'Gemini CLI connects to servers only in folders that it trusts.',
    references: [/\$\{([A-Za-z_]\w*)\}/g, /\$([A-Za-z_]\w*)/g],
    hasSseByDefault: true,
  },
];

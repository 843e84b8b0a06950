import { existsSync } from 'node:fs';
import { DISPLAY_VARIABLES } from '@deskside/core/base';
import { KNOWN_CLIENTS } from '@deskside/core/internal';
import { stringify } from 'smol-toml';
import {
  applicationData,
  claudeData,
  type Client,
  type Entry,
  type Fields,
  join,
  type Place,
  type Rule,
  SERVER_NAME,
} from './client.ts';

/** A question may wait for a day. */
const CALL_LIMIT_SECONDS = 86_400;
const CALL_LIMIT_MS = CALL_LIMIT_SECONDS * 1000;

/** The tools that only reach the person. */
const TOOLS = ['popup_notify', 'log_notify'] as const;

function headersOf(token: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${token}` };
}

function plain(entry: Entry): Fields {
  if (entry.kind === 'stdio') return { command: entry.command, args: entry.args };
  return { url: entry.url, headers: headersOf(entry.token) };
}

function typed(entry: Entry): Readonly<Record<string, unknown>> {
  return { type: entry.kind, ...plain(entry) };
}

const RESTART = 'Restart it to use Deskside.';

/** What most clients have. */
const USUAL = {
  format: 'json',
  root: 'mcpServers',
  value: plain,
  hasHttp: true,
  note: RESTART,
} as const;

/** A client by what is special about it. Its title is that of the clients table of core. */
type Row = Omit<Client, 'title' | keyof typeof USUAL> & Partial<Pick<Client, keyof typeof USUAL>>;

function zedFile(place: Place): string {
  const folder = place.platform === 'darwin' ? join(place, place.home, '.config') : applicationData(place);
  return join(place, folder, place.platform === 'win32' ? 'Zed' : 'zed', 'settings.json');
}

function claudeSettings(place: Place): string {
  return join(place, place.env['CLAUDE_CONFIG_DIR'] || join(place, place.home, '.claude'), 'settings.json');
}

function geminiFile(place: Place, ...parts: readonly string[]): string {
  return join(place, place.env['GEMINI_CLI_HOME'] || place.home, '.gemini', ...parts);
}

function qwenFile(place: Place): string {
  return join(place, place.home, '.qwen', 'settings.json');
}

/**
 * Claude Code, and what was made from it.
 *
 * @param servers names of Deskside there
 */
function permissions(file: (place: Place) => string, servers: readonly string[] = [SERVER_NAME]): Rule {
  const values = servers.flatMap((server) => TOOLS.map((tool) => `mcp__${server}__${tool}`));
  return { kind: 'json', file, path: ['permissions', 'allow'], values };
}

/** Some clients take a `url` for an address of SSE. */
function withUrl(key: string, entry: Entry): Fields {
  return entry.kind === 'stdio' ? plain(entry) : { [key]: entry.url, headers: headersOf(entry.token) };
}

function openCode(id: string, name: string): Row {
  return {
    id,
    // It reads `.jsonc` after `.json`.
    file(place) {
      const folder = place.env['XDG_CONFIG_HOME'] || join(place, place.home, '.config');
      const file = join(place, folder, name, `${name}.json`);
      return existsSync(`${file}c`) ? `${file}c` : file;
    },
    program: name,
    root: 'mcp',
    value: (entry) =>
      entry.kind === 'stdio'
        ? { type: 'local', command: [entry.command, ...entry.args] }
        : { type: 'remote', ...plain(entry) },
    runsWithoutPrompt: true,
    references: [/\{env:([A-Za-z_]\w*)\}/g],
  };
}

function visualStudioCode(id: string, folder: string, program: string): Row {
  return {
    id,
    file: (place) => join(place, applicationData(place), folder, 'User', 'mcp.json'),
    program,
    root: 'servers',
    value: typed,
    note: 'VS Code asks whether it may start the server.',
  };
}

/** As the clients table of core has it. */
function titleOf(client: string): string {
  return KNOWN_CLIENTS.find(({ id }) => id === client)?.title ?? client;
}

const ROWS: readonly Row[] = [
  {
    id: 'claude-code',
    program: 'claude',
    file: (place) => join(place, place.env['CLAUDE_CONFIG_DIR'] || place.home, '.claude.json'),
    value: typed,
    // Running sessions write the file all the time, so only its own program may change it.
    command: {
      add: (name, entry) => ['mcp', 'add-json', '--scope', 'user', name, JSON.stringify(typed(entry))],
      remove: (name) => ['mcp', 'remove', '--scope', 'user', name],
    },
    note: 'In a running session: /mcp, then Reconnect.',
    hooks: {
      kind: 'json',
      file: claudeSettings,
      events: ['Stop', 'StopFailure', 'SubagentStop', 'PermissionRequest', 'Notification'],
    },
    rule: permissions(
      claudeSettings,
      // The plugin in `plugins/` has the same name as its server.
      [SERVER_NAME, `plugin_${SERVER_NAME}_${SERVER_NAME}`],
    ),
    references: [/\$\{([A-Za-z_]\w*(?::-[^{}]*)?)\}/g],
  },
  {
    id: 'claude-desktop',
    file: (place) => join(place, claudeData(place), 'Claude', 'claude_desktop_config.json'),
    hasHttp: false,
    ownProcesses: ['Claude', 'claude-desktop'],
    note: 'Claude Desktop may drop servers from this file when it starts. Then install the .mcpb files of notify-popup and log-notify.',
  },
  visualStudioCode('vscode', 'Code', 'code'),
  visualStudioCode('vscode-insiders', 'Code - Insiders', 'code-insiders'),
  {
    id: 'cursor',
    program: 'cursor',
    file: (place) => join(place, place.home, '.cursor', 'mcp.json'),
    note: 'Enable the server in the settings of Cursor if it is not running.',
  },
  {
    id: 'codex',
    program: 'codex',
    // It starts servers without the variables of the desktop, and windows need them. Its own program drops comments and cannot write env_vars.
    file: (place) => join(place, place.env['CODEX_HOME'] || join(place, place.home, '.codex'), 'config.toml'),
    format: 'toml',
    root: 'mcp_servers',
    value: (entry) =>
      entry.kind === 'stdio'
        ? { command: entry.command, args: entry.args, env_vars: DISPLAY_VARIABLES }
        : { url: entry.url, http_headers: headersOf(entry.token) },
    extensible: 'env_vars',
    // Not `required`: Codex would wait for the tools in its first turn, and not start without Deskside.
    waits: { tool_timeout_sec: CALL_LIMIT_SECONDS },
    rule: {
      kind: 'entry',
      field: 'tools',
      values: Object.fromEntries(TOOLS.map((tool) => [tool, { approval_mode: 'approve' }])),
    },
    hooks: { kind: 'toml', key: 'notify' },
    note: 'Restart Codex to use it.',
  },
  {
    id: 'gemini',
    file: (place) => geminiFile(place, 'settings.json'),
    program: 'gemini',
    exclusions: 'mcp',
    value: (entry) => ({ ...plain(entry), ...(entry.kind === 'stdio' ? {} : { type: 'http' }) }),
    waits: { timeout: CALL_LIMIT_MS },
    note: 'Gemini CLI connects to servers only in folders that it trusts.',
    rule: {
      kind: 'texts',
      file: (place) => geminiFile(place, 'policies', 'deskside.toml'),
      texts: TOOLS.map((toolName) =>
        // A rule of the same tier with a higher number wins.
        stringify({ rule: [{ mcpName: SERVER_NAME, toolName, decision: 'allow', priority: 100 }] }),
      ),
    },
    references: [/\$\{([A-Za-z_]\w*)\}/g, /\$([A-Za-z_]\w*)/g],
  },
  {
    id: 'qwen-code',
    file: qwenFile,
    program: 'qwen',
    exclusions: 'mcp',
    value: (entry) => withUrl('httpUrl', entry),
    waits: { timeout: CALL_LIMIT_MS },
    rule: permissions(qwenFile),
    references: [/\$\{([A-Za-z_]\w*)\}/g, /\$([A-Za-z_]\w*)/g],
  },
  openCode('opencode', 'opencode'),
  openCode('kilo', 'kilo'),
  {
    id: 'copilot-cli',
    file: (place) =>
      join(place, place.env['COPILOT_HOME'] || join(place, place.home, '.copilot'), 'mcp-config.json'),
    program: 'copilot',
    value: (entry) => ({ type: entry.kind === 'stdio' ? 'local' : 'http', ...plain(entry) }),
    defaults: { tools: ['*'] },
    note: `${RESTART} To allow its questions, start it with --allow-tool 'deskside(popup_notify)'.`,
  },
  {
    id: 'cline',
    file: (place) => join(place, place.home, '.cline', 'data', 'settings', 'cline_mcp_settings.json'),
    program: 'cline',
    value: (entry) => ({ ...(entry.kind === 'stdio' ? {} : { type: 'streamableHttp' }), ...plain(entry) }),
    waits: { timeout: CALL_LIMIT_SECONDS },
  },
  {
    id: 'roo',
    file: (place) =>
      join(
        place,
        applicationData(place),
        'Code',
        'User',
        'globalStorage',
        'rooveterinaryinc.roo-cline',
        'settings',
        'mcp_settings.json',
      ),
    value: (entry) => ({ ...(entry.kind === 'stdio' ? {} : { type: 'streamable-http' }), ...plain(entry) }),
    waits: { timeout: 3600 },
    waitsSeconds: 3600,
    rule: { kind: 'entry', field: 'alwaysAllow', values: TOOLS },
  },
  {
    id: 'windsurf',
    file: (place) => join(place, place.home, '.codeium', 'windsurf', 'mcp_config.json'),
    program: 'windsurf',
    value: (entry) => withUrl('serverUrl', entry),
    note: 'Press Refresh in its list of servers.',
  },
  {
    id: 'zed',
    file: zedFile,
    program: 'zed',
    root: 'context_servers',
    waits: { timeout: 600 },
    waitsSeconds: 600,
    rule: {
      kind: 'json',
      file: zedFile,
      path: ['agent', 'tool_permissions', 'tools'],
      values: Object.fromEntries(TOOLS.map((tool) => [`mcp:${SERVER_NAME}:${tool}`, { default: 'allow' }])),
    },
    note: 'Zed reads the file at once.',
  },
  {
    id: 'lmstudio',
    file: (place) => join(place, place.home, '.lmstudio', 'mcp.json'),
    waits: { timeout: CALL_LIMIT_MS },
  },
  {
    id: 'amp',
    file(place) {
      const file = join(place, place.home, '.config', 'amp', 'settings.json');
      return !existsSync(file) && existsSync(`${file}c`) ? `${file}c` : file;
    },
    program: 'amp',
    root: 'amp.mcpServers',
  },
  {
    id: 'junie',
    file: (place) => join(place, place.home, '.junie', 'mcp', 'mcp.json'),
    program: 'junie',
  },
  {
    id: 'warp',
    file: (place) => join(place, place.home, '.warp', '.mcp.json'),
  },
];

export const CLIENTS: readonly Client[] = ROWS.map((row) =>
  Object.assign({}, USUAL, row, { title: titleOf(row.id) }),
);

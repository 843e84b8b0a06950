import { expect, onTestFinished, test, vi } from 'vitest';
import type { Place } from './client.ts';
import { thisPlace } from './found.ts';
import { CLIENTS } from './table.ts';
import { hookProgram, invocationOf } from './invocation.ts';

const MAC = { platform: 'darwin', home: '/Users/ada', env: {} } as const;
const WINDOWS = {
  platform: 'win32',
  home: String.raw`C:\Users\ada`,
  env: { APPDATA: String.raw`C:\Users\ada\AppData\Roaming` },
} as const;
const LINUX = { platform: 'linux', home: '/home/ada', env: {} } as const;

test.each<readonly [string, Place, string]>([
  ['claude-code', LINUX, '/home/ada/.claude.json'],
  ['claude-code', { ...LINUX, env: { CLAUDE_CONFIG_DIR: '/srv/claude' } }, '/srv/claude/.claude.json'],
  ['zed', { ...LINUX, env: { XDG_CONFIG_HOME: '/x' } }, '/x/zed/settings.json'],
  ['opencode', { ...LINUX, env: { XDG_CONFIG_HOME: '/x' } }, '/x/opencode/opencode.json'],
  ['claude-desktop', MAC, '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json'],
  ['claude-desktop', WINDOWS, String.raw`C:\Users\ada\AppData\Roaming\Claude\claude_desktop_config.json`],
  [
    'claude-desktop',
    { ...WINDOWS, packages: ['Microsoft.Paint_8wekyb3d8bbwe', 'Claude_pzs8sxrjxfjjc'] },
    String.raw`C:\Users\ada\AppData\Local\Packages\Claude_pzs8sxrjxfjjc\LocalCache\Roaming\Claude\claude_desktop_config.json`,
  ],
  ['claude-desktop', LINUX, '/home/ada/.config/Claude/claude_desktop_config.json'],
  ['vscode', MAC, '/Users/ada/Library/Application Support/Code/User/mcp.json'],
  ['vscode', WINDOWS, String.raw`C:\Users\ada\AppData\Roaming\Code\User\mcp.json`],
  ['vscode', { ...LINUX, env: { XDG_CONFIG_HOME: '/x' } }, '/x/Code/User/mcp.json'],
  ['cursor', WINDOWS, String.raw`C:\Users\ada\.cursor\mcp.json`],
  ['codex', LINUX, '/home/ada/.codex/config.toml'],
  ['codex', { ...LINUX, env: { CODEX_HOME: '/srv/codex' } }, '/srv/codex/config.toml'],
  ['gemini', MAC, '/Users/ada/.gemini/settings.json'],
  ['gemini', { ...LINUX, env: { GEMINI_CLI_HOME: '/srv/gemini' } }, '/srv/gemini/.gemini/settings.json'],
])('the file of %s is found', (id, place, file) => {
  expect(CLIENTS.find((client) => client.id === id)?.file(place)).toBe(file);
});

const CLONE = { npm_lifecycle_event: 'start', npm_package_name: 'deskside-workspace' };

const NPX = ['npx', '-y', '@deskside/aggregator'];
const NODE = ['/opt/node', '/clone/cli.js'] as const;

test.each([
  ['installed', LINUX, {}, 'deskside', NPX],
  ['by npx', LINUX, { npm_lifecycle_event: 'npx' }, 'npx -y @deskside/aggregator', NPX],
  ['on Windows', WINDOWS, {}, 'deskside', ['cmd', '/c', ...NPX]],
  ['from a clone', LINUX, CLONE, 'npm start --', NODE],
  ['from a clone without npm', LINUX, { ...CLONE, npm_lifecycle_event: 'deskside' }, './deskside', NODE],
  ['from a clone on Windows', WINDOWS, CLONE, 'npm start --', NODE],
  ['by a script of another project', LINUX, { ...CLONE, npm_package_name: 'mine' }, 'deskside', NPX],
])('started %s, people and clients start it again the same way', (_, { platform }, env, typed, again) => {
  const [command, ...args] = again;
  expect(invocationOf({ platform, command: NODE }, env)).toStrictEqual({ typed, command, args });
});

test.skipIf(process.platform === 'win32')('an empty HOME is not a home folder', () => {
  vi.stubEnv('HOME', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(() => thisPlace({})).toThrow(
    'This user has no home folder. Set HOME, or pass the path as an option.',
  );
});

test.each([
  ['win32', {}, NPX.with(0, 'npx.cmd')],
  ['win32', CLONE, NODE],
  ['linux', {}, NPX],
] as const)('a hook on %s, %j, starts the program without a shell', (platform, env, program) => {
  expect(hookProgram(invocationOf({ platform, command: NODE }, env))).toStrictEqual(program);
});

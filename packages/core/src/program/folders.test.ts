import { syncBuiltinESMExports } from 'node:module';
import os, { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { folders } from './folders.ts';

test.each([
  ['linux', '.local/share/deskside', '.config/deskside', '.local/state/deskside'],
  ['darwin', 'Library/Application Support/deskside', 'Library/Preferences/deskside', 'Library/Logs/deskside'],
  ['win32', 'AppData/Local/deskside/Data', 'AppData/Roaming/deskside/Config', 'AppData/Local/deskside/Log'],
] as const)("the folders on %s are in the platform's places for user data", (platform, ...paths) => {
  const [data, config, state] = paths.map((path) => join(homedir(), path));
  expect(folders(platform, {})).toStrictEqual({ data, config, state });
});

test('the folders on Linux follow the XDG variables, and an empty variable counts as not set, as on Windows', () => {
  expect(folders('win32', { LOCALAPPDATA: '', APPDATA: '' })).toStrictEqual(folders('win32', {}));
  const env = { XDG_DATA_HOME: '/d', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '' };
  expect(folders('linux', env)).toStrictEqual({
    data: '/d/deskside',
    config: '/c/deskside',
    state: join(homedir(), '.local/state/deskside'),
  });
});

test('an empty HOME, and a user that the system does not know, have no home folder', () => {
  const found = vi.spyOn(os, 'homedir').mockReturnValueOnce('');
  found.mockThrowOnce(new Error('uv_os_homedir returned ENOENT'));
  syncBuiltinESMExports();
  onTestFinished(() => {
    found.mockRestore();
    syncBuiltinESMExports();
  });
  for (let user = 0; user < 2; user += 1)
    expect(() => folders('linux', {})).toThrow(
      'This user has no home folder. Set HOME, or pass the path as an option.',
    );
});

import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../testkit/environment.ts';
import { processProject } from './process-project.ts';

test.each([
  ['the working directory', {}, '/srv/other', { named: undefined, current: 'other' }],
  ['the folder that Claude Code names', { CLAUDE_PROJECT_DIR: '/srv/shop' }, '/', { named: 'shop' }],
  ['nothing in the root folder', {}, '/', {}],
  ['nothing in the home folder', {}, homedir(), {}],
  ['nothing in a system folder', {}, '/usr/lib/app', {}],
  ['nothing in a system folder of Windows', { SystemRoot: 'C:\\Windows' }, 'C:\\Windows\\System32', {}],
])('the project of a process is %s', (_, env, directory, project) => {
  expect(processProject(env, () => directory)).toEqual({ named: undefined, current: undefined, ...project });
});

test('a user without a home folder has a project', () => {
  const none = vi.fn<() => string>().mockThrow(new Error('uv_os_homedir returned ENOENT'));
  expect(processProject({}, () => '/srv/shop', none).current).toBe('shop');
  expect(none).toHaveBeenCalled();
});

test('a process whose working directory was deleted has no project', () => {
  expect(processProject({}, vi.fn().mockThrow(new Error('ENOENT'))).current).toBeUndefined();
});

test('a forwarded client in a system folder of Windows has no project', () => {
  vi.stubEnv('SystemRoot', 'C:\\Windows');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(processProject({}, () => 'C:\\Windows\\System32').current).toBeUndefined();
});

test.skipIf(process.platform === 'win32')('the home is not a project, also if HOME is a link to it', () => {
  using folder = temporaryFolder();
  const [home, link] = [join(realpathSync(folder.path), 'ann'), join(folder.path, 'link')];
  mkdirSync(home);
  symlinkSync(home, link);
  expect(
    processProject(
      {},
      () => home,
      () => link,
    ).current,
  ).toBeUndefined();
});

test('a home whose real path cannot be read is not a project', () => {
  const home = '/home/nobody-has-this-folder';
  expect(
    processProject(
      {},
      () => home,
      () => home,
    ).current,
  ).toBeUndefined();
});

test('an empty HOME does not make the working directory a home', () => {
  const here = realpathSync('.');
  const current = processProject(
    {},
    () => here,
    () => '',
  );
  expect(current.current).toBe(basename(here));
});

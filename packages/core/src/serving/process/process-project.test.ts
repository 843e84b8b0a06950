import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../testkit/environment.ts';
import { processProject } from './process-project.ts';

const unknown = vi.fn<() => string>().mockThrow(new Error('uv_os_homedir returned ENOENT'));
const here = realpathSync('.');
const missing = '/home/nobody-has-this-folder';
const WINDOWS = 'C:\\Windows\\System32';

test.each<
  [says: string, env: Record<string, string>, directory: () => string, project: object, home?: () => string]
>([
  ['the working directory', {}, () => '/srv/other', { current: 'other' }],
  ['the folder that Claude Code names', { CLAUDE_PROJECT_DIR: '/srv/shop' }, () => '/', { named: 'shop' }],
  ['nothing in the root folder', {}, () => '/', {}],
  ['nothing in the home folder', {}, homedir, {}],
  ['nothing in a home whose real path cannot be read', {}, () => missing, {}, () => missing],
  ['the working directory, if HOME is empty', {}, () => here, { current: basename(here) }, () => ''],
  ['the working directory of a user without a home', {}, () => '/srv/shop', { current: 'shop' }, unknown],
  ['nothing if the working directory was deleted', {}, unknown, {}],
  ['nothing in a system folder', {}, () => '/usr/lib/app', {}],
  ['nothing in a system folder of Windows', { SystemRoot: 'C:\\Windows' }, () => WINDOWS, {}],
])('the project of a process is %s', (_, env, directory, project, home) => {
  expect(processProject(env, directory, home)).toEqual({ named: undefined, current: undefined, ...project });
});

test('a forwarded client in a system folder of Windows has no project', () => {
  vi.stubEnv('SystemRoot', 'C:\\Windows');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(processProject({}, () => WINDOWS).current).toBeUndefined();
});

test.skipIf(process.platform === 'win32')('the home is not a project, also if HOME is a link to it', () => {
  using folder = temporaryFolder();
  const [home, link] = [join(realpathSync(folder.path), 'ann'), join(folder.path, 'link')];
  mkdirSync(home);
  symlinkSync(home, link);
  const found = processProject(
    {},
    () => home,
    () => link,
  );
  expect(found.current).toBeUndefined();
});

import { existsSync, globSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { published, root } from '@deskside/checks/src/workspace.ts';
import { cleanEnvironment, connectStdio, temporaryFolder } from '@deskside/testkit';
import { execa } from 'execa';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { obstacleIn, publishAll } from './publish.ts';

const program = join(root, 'tooling/release/src/main.ts');
const isProof = process.env['DESKSIDE_PROOF'] === '1';
const release = (...args: readonly string[]) =>
  execa(process.execPath, [program, ...args], { reject: false, env: { GITHUB_REPOSITORY: undefined } });

test('a release without a repository is refused', async () => {
  const { exitCode, stderr } = await release('stage');
  expect(exitCode).toBe(1);
  expect(stderr).toBe('A release needs the public repository. Pass --repository OWNER/NAME.');
});

test('a release leaves a folder alone that has other files', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'letter.txt'), '');
  const { exitCode, stderr } = await release('stage', '--repository', 'acme/desk', '--to', folder);
  expect([exitCode, stderr]).toStrictEqual([1, `${folder} is not empty. Pass a new folder with --to.`]);
  expect(existsSync(join(folder, 'letter.txt'))).toBe(true);
});

test('a release does not begin with a change that has no version, or is not committed', async () => {
  const folder = temporaryFolder();
  const git = (...args: readonly string[]) => execa('git', args, { cwd: folder });
  await git('init', '--quiet');
  mkdirSync(join(folder, '.changeset'));
  writeFileSync(join(folder, '.changeset/todo.md'), '');
  expect(await obstacleIn(folder)).toMatch(/^Some changes have no version yet\. Run "pnpm run version"/);
  rmSync(join(folder, '.changeset/todo.md'));
  writeFileSync(join(folder, 'CHANGELOG.md'), '');
  expect(await obstacleIn(folder)).toMatch(/^Some changes are not committed\./);
  await git('add', '.');
  await git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message', 'a');
  expect(await obstacleIn(folder)).toBeUndefined();
});

/** A folder with an `npm` that finds no version, and notes what its stdin is when it publishes. */
function fakeNpm() {
  const folder = temporaryFolder();
  const script = '#!/bin/sh\n[ "$1" = publish ] && readlink /proc/self/fd/0 > "$0.stdin"\n';
  writeFileSync(join(folder, 'npm'), script, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return { stdin: () => readFileSync(join(folder, 'npm.stdin'), 'utf8').trim() };
}

test.runIf(process.platform === 'linux')(
  'npm asks the person who publishes for a one-time password',
  async () => {
    const npm = fakeNpm();
    const product = published.find(({ name }) => name === '@deskside/core');
    if (product === undefined) throw new Error('core is not published');
    await publishAll([{ product, folder: '', tarball: 'core.tgz' }], { isTrial: false });
    expect(npm.stdin()).toBe(readlinkSync('/proc/self/fd/0'));
  },
);

const bundleManifest = z.object({
  server: z.object({
    mcp_config: z.object({ args: z.tuple([z.string()]), env: z.record(z.string(), z.string()) }),
  }),
});

test.runIf(isProof)(
  'npm accepts every package, and every bundle starts from its unpacked folder',
  { timeout: 300_000 },
  async () => {
    const folder = join(temporaryFolder(), 'release');
    const published = await release('publish', '--dry-run', '--repository', 'acme/desk', '--to', folder);
    expect(published.stderr).not.toContain('npm error');
    expect(published.exitCode).toBe(0);
    expect(published.stdout.match(/can be published/g)).toHaveLength(
      globSync('*.tgz', { cwd: folder }).length,
    );
    // What installs one of them while the others follow finds what it needs.
    const order = [...published.stdout.matchAll(/^(\S+)@\S+ can be published/gm)].map(([, name]) => name);
    const places = ['@deskside/core', '@deskside/aggregator', 'deskside'].map((name) => order.indexOf(name));
    expect(places).toStrictEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBe(0);
    for (const file of globSync('*/package.json', { cwd: folder })) {
      expect(JSON.parse(readFileSync(join(folder, file), 'utf8'))).toMatchObject({
        repository: { url: 'git+https://github.com/acme/desk.git' },
        homepage: expect.stringContaining('https://github.com/acme/desk/'),
        bugs: { url: 'https://github.com/acme/desk/issues' },
      });
    }
    const { stdout: commit } = await execa('git', ['rev-parse', 'HEAD'], { cwd: root });
    const readme = readFileSync(join(folder, 'todo/README.md'), 'utf8');
    expect(readme).toContain(`https://github.com/acme/desk/blob/${commit}/`);
    const bundles = globSync('*.mcpb', { cwd: folder });
    expect(bundles).toHaveLength(3);
    for (const bundle of bundles) {
      const unpacked = join(folder, 'unpacked', bundle);
      await execa('mcpb', ['unpack', join(folder, bundle), unpacked], {
        preferLocal: true,
        localDir: import.meta.dirname,
      });
      if (bundle.startsWith('deskside-notify-popup'))
        expect(existsSync(join(unpacked, 'window/native/webkit-mac.js'))).toBe(true);
      const { server } = bundleManifest.parse(
        JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8')),
      );
      const { args, env } = server.mcp_config;
      // A host replaces the placeholder of a setting without a value with the default of the manifest.
      const unset = Object.fromEntries(Object.keys(env).map((name) => [name, '']));
      await using peer = await connectStdio(
        {
          command: process.execPath,
          args: [args[0].replace('${__dirname}', unpacked)],
          env: { ...cleanEnvironment(temporaryFolder()), ...unset },
        },
        { era: 'legacy' },
      );
      expect((await peer.listTools()).length).toBeGreaterThan(0);
    }
  },
);

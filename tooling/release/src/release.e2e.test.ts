import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@deskside/checks/src/workspace.ts';
import { cleanEnvironment, connectStdio, temporaryFolder } from '@deskside/testkit';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { obstacleIn } from './publish.ts';

const isProof = process.env['DESKSIDE_PROOF'] === '1';

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

interface Bundle {
  readonly server: { readonly mcp_config: { readonly args: [string]; readonly env: Record<string, string> } };
}

test.runIf(isProof)(
  'npm accepts every package, and every bundle starts from its unpacked folder',
  { timeout: 300_000 },
  async () => {
    const folder = join(temporaryFolder(), 'release');
    const program = join(root, 'tooling/release/src/main.ts');
    const args = [program, 'publish', '--dry-run', '--repository', 'acme/desk', '--to', folder];
    const published = await execa(process.execPath, args, { reject: false });
    expect(published.stderr).not.toContain('npm error');
    expect(published.exitCode, published.stderr).toBe(0);
    // What installs one of them while the others follow finds what it needs.
    const order = [...published.stdout.matchAll(/^(\S+)@\S+ can be published/gm)].map(([, name]) => name);
    expect(order).toHaveLength(globSync('*.tgz', { cwd: folder }).length);
    const places = ['@deskside/core', '@deskside/aggregator', 'deskside'].map((name) => order.indexOf(name));
    expect(places).toStrictEqual(places.toSorted((a, b) => a - b));
    for (const file of globSync('*/package.json', { cwd: folder })) {
      expect(JSON.parse(readFileSync(join(folder, file), 'utf8'))).toMatchObject({
        repository: { url: 'git+https://github.com/acme/desk.git' },
        homepage: expect.stringContaining('https://github.com/acme/desk/'),
        bugs: { url: 'https://github.com/acme/desk/issues' },
      });
    }
    const server = JSON.parse(readFileSync(join(folder, 'todo/server.json'), 'utf8')) as unknown;
    expect(server).toMatchObject({ name: 'io.github.acme/todo' });
    const { stdout: commit } = await execa('git', ['rev-parse', 'HEAD'], { cwd: root });
    const readme = readFileSync(join(folder, 'todo/README.md'), 'utf8');
    expect(readme).toContain(`https://github.com/acme/desk/blob/${commit}/`);
    const bundles = globSync('*.mcpb', { cwd: folder });
    expect(bundles).toHaveLength(3);
    for (const bundle of bundles) await startBundle(join(folder, bundle), join(folder, 'unpacked', bundle));
  },
);

async function startBundle(file: string, folder: string): Promise<void> {
  await execa('mcpb', ['unpack', file, folder], { preferLocal: true, localDir: import.meta.dirname });
  if (file.includes('deskside-notify-popup'))
    expect(existsSync(join(folder, 'window/native/webkit-mac.js'))).toBe(true);
  const { server } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Bundle;
  // A host replaces the placeholder of a setting without a value with the default of the manifest.
  const unset = Object.fromEntries(Object.keys(server.mcp_config.env).map((name) => [name, '']));
  const env = { ...cleanEnvironment(temporaryFolder()), ...unset };
  const args = [server.mcp_config.args[0].replace('${__dirname}', folder)];
  await using peer = await connectStdio({ command: process.execPath, args, env }, { era: 'legacy' });
  expect((await peer.listTools()).length).toBeGreaterThan(0);
}

import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pack } from '@deskside/checks/src/tarballs/install.ts';
import { published, root, type WorkspacePackage } from '@deskside/checks/src/workspace.ts';
import { execa } from 'execa';
import { z } from 'zod';
import { withAbsoluteLinks } from './links.ts';

/** A package, ready to be published. */
export interface Staged {
  readonly product: WorkspacePackage;
  /** Contains package.json, README.md and, for a server, server.json. */
  readonly folder: string;
  readonly tarball: string;
}

/**
 * Packs each published package with the names of the repository, which the sources do not contain: `repository`,
 * `homepage` and `bugs` in package.json, the name in the MCP registry, and absolute links in the README.
 *
 * @param folder is created; one folder and one tarball per package
 */
export async function stageAll(homepage: string, folder: string): Promise<readonly Staged[]> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const staged: Staged[] = [];
  for (const product of published) staged.push(await stage(product, homepage, folder));
  return staged;
}

async function stage(product: WorkspacePackage, homepage: string, folder: string): Promise<Staged> {
  const { name } = product;
  // A release pushes one tag, which not every package has: the commit is there in any case.
  const { stdout: commit } = await execa('git', ['rev-parse', 'HEAD'], { cwd: root });
  const own = join(folder, name.split('/')[1] ?? name);
  const packed = join(folder, 'packed');
  await mkdir(packed, { recursive: true });
  // pnpm replaces "workspace:" and "catalog:"; npm publishes with provenance.
  const { path } = await pack(product, packed);
  await mkdir(own);
  await execa('tar', ['-xzf', path, '--strip-components=1', '-C', own]);
  const directory = relative(root, product.directory);
  await rewrite(join(own, 'package.json'), (text) => manifestText(text, homepage, directory));
  await rewrite(join(own, 'README.md'), (text) =>
    withAbsoluteLinks(text, { homepage, directory, tag: commit, root }),
  );
  if (product.server !== undefined) {
    await rewrite(join(own, 'server.json'), (text) => serverText(text, homepage, directory));
  }
  await cp(join(root, 'LICENSE'), join(own, 'LICENSE'));
  const { stdout } = await execa('npm', ['pack', '--json', '--pack-destination', folder], { cwd: own });
  await rm(packed, { recursive: true });
  const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }];
  return { product, folder: own, tarball: join(folder, filename) };
}

async function rewrite(file: string, change: (text: string) => string): Promise<void> {
  await writeFile(file, change(await readFile(file, 'utf8')));
}

const packageJson = z.record(z.string(), z.unknown());

/** npm accepts provenance only if `repository` is where the workflow runs. */
function manifestText(text: string, homepage: string, directory: string): string {
  const { devDependencies: _, scripts: __, mcpName, ...manifest } = packageJson.parse(JSON.parse(text));
  return json({
    ...manifest,
    ...(typeof mcpName === 'string' && { mcpName: registryName(homepage, mcpName) }),
    repository: { type: 'git', url: `git+${homepage}.git`, directory },
    homepage: `${homepage}/tree/main/${directory}#readme`,
    bugs: { url: `${homepage}/issues` },
  });
}

function serverText(text: string, homepage: string, directory: string): string {
  const server = packageJson.parse(JSON.parse(text));
  return json({
    ...server,
    name: registryName(homepage, String(server['name'])),
    websiteUrl: `${homepage}/tree/main/${directory}#readme`,
    repository: { url: homepage, source: 'github', subfolder: directory },
  });
}

/** Name of a server in the MCP registry, which only the owner of the repository can publish. */
function registryName(homepage: string, mcpName: string): string {
  const [, owner] = new URL(homepage).pathname.split('/');
  return `io.github.${owner}/${mcpName.split('/')[1] ?? mcpName}`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

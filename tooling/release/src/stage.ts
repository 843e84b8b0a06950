import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pack } from '@deskside/checks/src/tarballs/install.ts';
import { published, root, type WorkspacePackage } from '@deskside/checks/src/workspace.ts';
import { execa } from 'execa';
import { z } from 'zod';
import { withAbsoluteLinks } from './links.ts';
import { homepageOf, registryName, type Repository, repositoryFields } from './repository.ts';

/** A package, ready to be published. */
export interface Staged {
  readonly product: WorkspacePackage;
  /** Contains package.json, README.md and, for a server, server.json. */
  readonly folder: string;
  readonly tarball: string;
}

const packReport = z.array(z.object({ filename: z.string() }));

/**
 * Packs each published package with the names of the repository, which the sources do not contain: `repository`,
 * `homepage` and `bugs` in package.json, the name in the MCP registry, and absolute links in the README.
 *
 * @param folder is created; one folder and one tarball per package
 */
export async function stageAll(repository: Repository, folder: string): Promise<readonly Staged[]> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const staged: Staged[] = [];
  for (const product of published) staged.push(await stage(product, repository, folder));
  return staged;
}

async function stage(product: WorkspacePackage, repository: Repository, folder: string): Promise<Staged> {
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
  await rewrite(join(own, 'package.json'), (text) => manifestText(text, repository, directory));
  await rewrite(join(own, 'README.md'), (text) =>
    withAbsoluteLinks(text, { repository, directory, tag: commit, root }),
  );
  if (product.server !== undefined) {
    await rewrite(join(own, 'server.json'), (text) => serverText(text, repository, directory));
  }
  await cp(join(root, 'LICENSE'), join(own, 'LICENSE'));
  const { stdout } = await execa('npm', ['pack', '--json', '--pack-destination', folder], { cwd: own });
  await rm(packed, { recursive: true });
  return {
    product,
    folder: own,
    tarball: join(folder, packReport.parse(JSON.parse(stdout))[0]?.filename ?? ''),
  };
}

async function rewrite(file: string, change: (text: string) => string): Promise<void> {
  await writeFile(file, change(await readFile(file, 'utf8')));
}

const packageJson = z.record(z.string(), z.unknown());

function manifestText(text: string, repository: Repository, directory: string): string {
  const { devDependencies: _, scripts: __, ...manifest } = packageJson.parse(JSON.parse(text));
  const { mcpName } = manifest;
  const names = typeof mcpName === 'string' ? { mcpName: registryName(repository, mcpName) } : {};
  return json({ ...manifest, ...names, ...repositoryFields(repository, directory) });
}

function serverText(text: string, repository: Repository, directory: string): string {
  const server = packageJson.parse(JSON.parse(text));
  return json({
    ...server,
    name: registryName(repository, String(server['name'])),
    websiteUrl: `${homepageOf(repository)}/tree/main/${directory}#readme`,
    repository: { url: homepageOf(repository), source: 'github', subfolder: directory },
  });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

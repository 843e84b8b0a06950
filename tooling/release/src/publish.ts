import { globSync } from 'node:fs';
import { withSiblings } from '@deskside/checks/src/tarballs/install.ts';
import { execa } from 'execa';
import type { Staged } from './stage.ts';

/** Why a release must not begin in this folder: npm never takes a version twice. */
export async function obstacleIn(folder: string): Promise<string | undefined> {
  if (globSync('.changeset/*.md', { cwd: folder }).length > 0)
    return 'Some changes have no version yet. Run "pnpm run version", commit, then try again.';
  const { stdout } = await execa('git', ['status', '--porcelain'], { cwd: folder });
  // The pages of the packages link to the files of the last commit.
  return stdout === '' ? undefined : 'Some changes are not committed. Commit them, then try again.';
}

/**
 * Publishes the versions that npm does not have yet, a package after those that it needs. Provenance comes from npm itself if a trusted workflow publishes.
 *
 * @returns a line per package
 */
export async function publishAll(staged: readonly Staged[], isTrial: boolean): Promise<readonly string[]> {
  const lines: string[] = [];
  const order = [...new Set(staged.flatMap(({ product }) => withSiblings(product).toReversed()))];
  const place = ({ product }: Staged) => order.indexOf(product.name);
  for (const { product, tarball } of staged.toSorted((a, b) => place(a) - place(b))) {
    const version = `${product.name}@${product.manifest.version}`;
    if (!isTrial && (await isPublished(version))) {
      lines.push(`${version} is published already.`);
      continue;
    }
    const args = ['publish', tarball, '--access', 'public', ...(isTrial ? ['--dry-run'] : [])];
    // With a terminal npm asks for a one-time password.
    await execa('npm', args, { stdio: 'inherit' });
    lines.push(`${version} ${isTrial ? 'can be published' : 'is published'}.`);
  }
  return lines;
}

async function isPublished(version: string): Promise<boolean> {
  const { failed, stdout } = await execa('npm', ['view', version, 'version'], { reject: false });
  return !failed && stdout.trim() !== '';
}

import { execa } from 'execa';
import type { Staged } from './stage.ts';

/**
 * Publishes the versions that npm does not have yet. Provenance comes from npm itself if a trusted workflow publishes.
 *
 * @returns a line per package
 */
export async function publishAll(
  staged: readonly Staged[],
  { isTrial }: { readonly isTrial: boolean },
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { name, version, tarball } of staged) {
    if (!isTrial && (await isPublished(name, version))) {
      lines.push(`${name}@${version} is published already.`);
      continue;
    }
    const args = ['publish', tarball, '--access', 'public', ...(isTrial ? ['--dry-run'] : [])];
    await execa('npm', args, { stdout: 'inherit', stderr: 'inherit' });
    lines.push(`${name}@${version} ${isTrial ? 'can be published' : 'is published'}.`);
  }
  return lines;
}

async function isPublished(name: string, version: string): Promise<boolean> {
  const { failed, stdout } = await execa('npm', ['view', `${name}@${version}`, 'version'], { reject: false });
  return !failed && stdout.trim() === version;
}

import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { publicExports, published, type WorkspacePackage } from './workspace.ts';

/** Names are read, not imported: some entries run in a browser only. */
async function exportedNames(directory: string, entry: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: directory,
    entryPoints: [entry],
    outdir: 'dist',
    bundle: true,
    format: 'esm',
    packages: 'external',
    write: false,
    metafile: true,
  });
  return Object.values(metafile.outputs).flatMap((output) => output.exports);
}

async function pin({ name, directory, manifest }: WorkspacePackage): Promise<string[]> {
  const entries = Object.entries(publicExports(manifest)).filter(([, path]) => /\.tsx?$/.test(path));
  const pins = await Promise.all(
    entries.map(async ([subpath, path]) =>
      (await exportedNames(directory, path)).map((exported) => `${join(name, subpath)} ${exported}`),
    ),
  );
  return pins.flat();
}

test('what the packages export changes on purpose: vitest run exports -u', async () => {
  const pins = (await Promise.all(published.map(pin))).flat().toSorted();
  await expect(pins.join('\n')).toMatchFileSnapshot('../exports.txt');
});

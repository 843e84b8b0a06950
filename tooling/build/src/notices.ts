import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** The licences of all packages whose code is in a bundle: their terms ask for a copy to go with it. */
export function collectNotices(directory: string, { inputs }: Metafile): string {
  const folders = Object.keys(inputs).flatMap(
    (path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [],
  );
  return [...new Set(folders)]
    .toSorted()
    .map((folder) => notice(join(directory, folder)))
    .join('\n\n');
}

function notice(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
  const [file] = globSync('{LICENSE,LICENCE,license,licence}*', { cwd: folder });
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
  return `${String(manifest['name'])} (${String(manifest['license'])})\n\n${text}`.trim();
}

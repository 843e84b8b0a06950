import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ServerManifest, toolsIn } from '@deskside/checks/src/workspace.ts';
import { execa } from 'execa';
import type { Staged } from './stage.ts';

/** Its native parts, one per platform, have 17 MB. */
const NATIVE = 'better-sqlite3';

/**
 * Writes `<server>.mcpb` for each server that a bundle can contain: one file for Claude Desktop, which brings Node.js. Servers
 * with better-sqlite3 are left out, and what contains them.
 *
 * @returns the paths of the bundles
 */
export async function bundleAll(
  staged: readonly Staged[],
  homepage: string,
  folder: string,
): Promise<readonly string[]> {
  const files: string[] = [];
  for (const each of staged) {
    const { manifest, server } = each.product;
    if (server !== undefined && !(NATIVE in (manifest.dependencies ?? {})))
      files.push(await bundle(each, server, homepage, folder));
  }
  return files;
}

async function bundle(
  { folder: source, product }: Staged,
  { title, description, packages }: ServerManifest,
  homepage: string,
  folder: string,
): Promise<string> {
  const { name, manifest } = product;
  const [program = '', entry = ''] = Object.entries(manifest.publishConfig?.bin ?? {})[0] ?? [];
  const variables = packages[0]?.environmentVariables ?? [];
  const content = join(folder, `${program}-mcpb`);
  await mkdir(content, { recursive: true });
  await cp(join(source, 'dist/bin'), join(content, 'server'), { recursive: true });
  // Beside `server`, as beside `bin` in the package.
  for (const asset of manifest.deskside?.assets ?? [])
    await cp(join(source, 'dist', asset), join(content, asset), { recursive: true });
  for (const file of ['README.md', 'LICENSE']) await cp(join(source, file), join(content, file));
  const main = `server/${entry.split('/').at(-1) ?? ''}`;
  const bundleManifest = {
    manifest_version: '0.3',
    name: program,
    display_name: title,
    version: manifest.version,
    description,
    author: { name: 'The Deskside authors', url: homepage },
    repository: { type: 'git', url: `${homepage}.git` },
    homepage,
    documentation: `https://www.npmjs.com/package/${name}`,
    support: `${homepage}/issues`,
    license: 'MIT',
    server: {
      type: 'node',
      entry_point: main,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${main}`],
        env: Object.fromEntries(variables.map((each) => [each.name, `\${user_config.${key(each.name)}}`])),
      },
    },
    tools: toolsIn(source).map((tool) => ({ name: tool.name, description: tool.description.split('\n')[0] })),
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: '>=22.18.0' } },
    user_config: Object.fromEntries(
      variables.map((each) => [
        key(each.name),
        {
          type: 'string',
          title: each.name,
          description: each.description,
          required: false,
          sensitive: each.isSecret === true,
          // Without a default the host would hand on the placeholder itself.
          default: '',
        },
      ]),
    ),
  };
  await writeFile(join(content, 'manifest.json'), `${JSON.stringify(bundleManifest, null, 2)}\n`);
  const file = join(folder, `${program}-${manifest.version}.mcpb`);
  await execa('mcpb', ['pack', content, file], { preferLocal: true, localDir: import.meta.dirname });
  return file;
}

/** `NOTIFY_POPUP_THEME` → `notify_popup_theme` */
function key(variable: string): string {
  return variable.toLowerCase();
}

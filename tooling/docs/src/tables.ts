import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Setting } from '@deskside/core';
import { root, type WorkspacePackage } from '@deskside/repo';

export function packagesTable(products: readonly WorkspacePackage[]): string {
  const rows = products.map(({ name, directory, manifest }) => [
    `[\`${name}\`](${relative(root, directory)})`,
    Object.keys(manifest.bin ?? {})
      .map(code)
      .join(', '),
    manifest.description ?? '',
  ]);
  return table(['Package', 'Program', 'What it is'], rows);
}

export function optionsTable(settings: readonly Setting[]): string {
  const rows = settings.map(({ flag, env, placeholder, description, default: value }) => [
    flag === undefined ? '' : code(placeholder === undefined ? `--${flag}` : `--${flag} ${placeholder}`),
    code(env),
    typeof value === 'string' || typeof value === 'number' ? String(value) : '',
    description,
  ]);
  return table(['Flag', 'Environment', 'Default', 'What it does'], rows);
}

interface ToolListing {
  readonly name: string;
  readonly description: string;
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
}

export function toolsTable({ directory }: WorkspacePackage): string {
  const tools = JSON.parse(readFileSync(join(directory, 'tools.json'), 'utf8')) as readonly ToolListing[];
  const rows = tools.map(
    ({ name, description, annotations, inputSchema: { properties = {}, required = [] } }) => [
      code(name),
      firstSentence(description),
      Object.keys(properties)
        .map((key) => code(required.includes(key) ? key : `${key}?`))
        .join(', '),
      annotations['readOnlyHint'] === true
        ? 'reads'
        : annotations['destructiveHint'] === true
          ? 'changes, destroys'
          : 'changes',
    ],
  );
  return table(['Tool', 'What it does', 'Arguments', 'Effect'], rows);
}

/** The whole of a description is for models; people get its beginning. */
function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}

function code(text: string): string {
  return `\`${text}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map(cell).join(' | ')} |`)
    .join('\n');
}

function cell(text: string): string {
  return text
    .replaceAll('|', String.raw`\|`)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

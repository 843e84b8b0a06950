import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '@deskside/checks/src/build/bundle.ts';
import type { Subject } from './start.ts';

export interface Subjects {
  readonly bare: Subject;
  readonly everything: Subject;
  readonly bins: readonly Subject[];
  readonly aggregator: Subject;
}

const bareServer = dirname(folderOf(import.meta.resolve('../bare-server/src/cli.ts')));
const everything = folderOf(import.meta.resolve('@modelcontextprotocol/server-everything/package.json'));
const bins = [
  folderOf(import.meta.resolve('@deskside/log-notify/package.json')),
  folderOf(import.meta.resolve('@deskside/manictime/package.json')),
  folderOf(import.meta.resolve('@deskside/notify-popup/package.json')),
  folderOf(import.meta.resolve('@deskside/todo/package.json')),
  folderOf(import.meta.resolve('@deskside/ui-toast/package.json')),
];
const aggregator = folderOf(import.meta.resolve('@deskside/aggregator/package.json'));

/** @throws Error if a bin is not built */
export async function coldStartSubjects(): Promise<Subjects> {
  await bundle(bareServer);
  return {
    bare: { name: 'bare server, one tool', script: binOf(bareServer), args: [] },
    everything: {
      name: '@modelcontextprotocol/server-everything',
      script: join(everything, 'dist/index.js'),
      args: ['stdio'],
    },
    bins: bins.map((folder) => ({ name: `deskside-${basename(folder)}`, script: binOf(folder), args: [] })),
    aggregator: {
      name: 'deskside stdio --standalone',
      script: binOf(aggregator),
      args: ['stdio', '--standalone'],
    },
  };
}

function folderOf(url: string): string {
  return dirname(fileURLToPath(url));
}

function binOf(folder: string): string {
  const bin = join(folder, 'dist/bin/cli.js');
  if (!existsSync(bin)) throw new Error(`${basename(folder)} has no bundled bin. Run \`pnpm build\` first.`);
  return bin;
}

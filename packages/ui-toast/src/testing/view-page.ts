import { join } from 'node:path';
import { connectStdio, type Peer } from '@deskside/testkit';
import { build } from 'esbuild';
import type { AppHost } from './app-host.ts';

/** Globals of the host's page. */
declare global {
  var deskside: { openApp: (html: string) => Promise<AppHost> };
  var host: AppHost;
}

/** Starts the real server. */
export function startServer(): Promise<Peer> {
  const cli = join(import.meta.dirname, '../../dist/bin/cli.js');
  return connectStdio({ command: process.execPath, args: [cli] }, { era: 'modern' });
}

/** The HTML of the view, as a host reads it. */
export async function readView(server: Peer): Promise<string> {
  const { contents } = await server.readResource('ui://deskside/toast.html');
  return contents[0] !== undefined && 'text' in contents[0] ? contents[0].text : '';
}

/** A script for a page that sets `deskside`. */
export async function buildHostScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'app-host.ts')],
    bundle: true,
    format: 'iife',
    globalName: 'deskside',
    minify: true,
    platform: 'browser',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

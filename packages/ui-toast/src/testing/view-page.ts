import { join } from 'node:path';
import { connectStdio, type Peer } from '@deskside/testkit';
import { build } from 'esbuild';
import type { AppHost, AppHostOptions } from './app-host.ts';

/** How a run of an agent ends. */
export interface StoppedRun {
  readonly runId: string;
  /** What the tool returned, as JSON. */
  readonly results: readonly string[];
  /** The part of the stream after which it ends. */
  readonly stopAfter: number;
  readonly ends: 'stopped' | 'failed' | 'finished';
}

/** Globals of the host's page. */
declare global {
  var deskside: { openApp: (options: AppHostOptions) => Promise<AppHost> };
  var runs: Record<'runAgUi' | 'runAiSdk', (run: StoppedRun) => Promise<void>>;
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
export function buildHostScript(): Promise<string> {
  return buildPageScript('./app-host.ts', 'deskside');
}

/** A script for a page with a toaster that sets `runs`. */
export function buildRunScript(): Promise<string> {
  return buildPageScript('./run-page.ts', 'runs');
}

async function buildPageScript(file: string, globalName: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, file)],
    bundle: true,
    format: 'iife',
    globalName,
    minify: true,
    platform: 'browser',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

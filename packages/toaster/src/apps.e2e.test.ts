import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { listen } from '@deskside/testkit';
import { hasChromium, launch } from '@deskside/testkit/chromium';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const IS_PROOF = process.env['DESKSIDE_PROOF'] === '1';

const run = promisify(execFile);

/** An application as a user writes it. It shows a toast when its button is clicked. */
interface App {
  readonly name: string;
  /** Besides the toaster. */
  readonly dependencies: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** The command that builds it, if any. */
  readonly build?: readonly string[];
  /** The folder that a web server serves. */
  readonly output: string;
}

const REACT = ['react@19', 'react-dom@19'];

const chat = `
  'use client';
  import { useRef } from 'react';
  import { Toaster } from '@deskside/toaster/react';

  export default function Chat() {
    const toaster = useRef(null);
    const deploy = () => toaster.current.show({ message: 'Deployed', severity: 'success', duration: 0 });
    return <main><button onClick={deploy}>Deploy</button><Toaster ref={toaster} theme="auto" /></main>;
  }`;

const apps: readonly App[] = [
  {
    name: 'Next 16',
    dependencies: ['next@16', ...REACT],
    files: {
      'next.config.mjs': `export default { output: 'export' };`,
      'app/chat.jsx': chat.trim(),
      'app/layout.jsx': `
        export const metadata = { title: 'Chat' };
        export default ({ children }) => <html lang="en"><body>{children}</body></html>;`,
      // A server component. The second toaster imports the package directly, without a client component around it.
      'app/page.jsx': `
        import { Toaster } from '@deskside/toaster/react';
        import Chat from './chat.jsx';
        export default () => <><Chat /><Toaster hotkey="F9" /></>;`,
    },
    build: ['next', 'build'],
    output: 'out',
  },
  {
    name: 'plain HTML with a script',
    dependencies: [],
    files: {
      'index.html': `<!doctype html><title>Chat</title><button>Deploy</button><deskside-toaster></deskside-toaster>
        <script src="node_modules/@deskside/toaster/dist/script/deskside-toaster.js"></script>
        <script>
          const notification = { id: 'a', timestamp: new Date().toISOString(), message: 'Deployed', severity: 'success' };
          const call = { name: 'show_notification', result: { structuredContent: { notification } } };
          document.querySelector('button').onclick = () => {
            const [toast] = deskside.readToolResult(call, { live: true });
            document.querySelector('deskside-toaster').show({ ...toast, duration: 0 });
          };
        </script>`,
    },
    output: '.',
  },
  {
    name: 'plain HTML with modules',
    dependencies: [],
    files: {
      'index.html': `<!doctype html><title>Chat</title><button>Deploy</button><deskside-toaster></deskside-toaster>
        <script type="importmap">{ "imports": { "@deskside/toaster": "./node_modules/@deskside/toaster/dist/index.js" } }</script>
        <script type="module">
          import '@deskside/toaster';
          document.querySelector('button').onclick = () => document.querySelector('deskside-toaster')
            .show({ message: 'Deployed', severity: 'success', duration: 0 });
        </script>`,
    },
    output: '.',
  },
];

/** Packs the toaster for a test that installs it. @returns the path of the tarball */
async function packToaster(folder: string): Promise<string> {
  const cwd = join(import.meta.dirname, '..');
  const { stdout } = await run('pnpm', ['pack', '--json', '--pack-destination', folder], { cwd });
  const { filename }: { readonly filename: string } = JSON.parse(stdout);
  return filename;
}

/** Writes, installs and builds an application. @returns the folder to serve */
async function buildApp({ dependencies, files, build, output }: App, tarball: string, cwd: string) {
  await writeIn(cwd, { 'package.json': '{ "private": true, "type": "module" }', ...files });
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball, ...dependencies];
  await run('npm', install, { cwd, env });
  if (build !== undefined) await run('npx', ['--no-install', ...build], { cwd, env });
  return join(cwd, output);
}

async function writeIn(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
};

/** Allows what the pages contain, and nothing else: no other scripts and no inline styles. */
function policyFor(html: string): string {
  const inline = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>(.*?)<\/script>/gs)].map(
    ([, script = '']) => {
      return `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
    },
  );
  return `default-src 'none'; script-src 'self' ${inline.join(' ')}; style-src 'self'; connect-src 'self'; base-uri 'none'; require-trusted-types-for 'script'`;
}

/** Serves the files of a folder with a strict content security policy. */
async function serveFolder(folder: string) {
  return listen((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = pathname === '/' ? '/index.html' : decodeURIComponent(pathname);
    readFile(join(folder, path)).then(
      (content) =>
        response
          .setHeader('Content-Security-Policy', policyFor(String(content)))
          .setHeader('Content-Type', TYPES[extname(path)] ?? 'text/plain')
          .end(content),
      () => response.writeHead(404).end(),
    );
  });
}

// They install hundreds of megabytes.
describe.skipIf(!hasChromium || !IS_PROOF)('applications that install the packed toaster', () => {
  let folder: string;
  let tarball: string;
  let browser: Browser;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'deskside-apps-'));
    [tarball, browser] = await Promise.all([packToaster(folder), launch()]);
  });
  afterAll(async () => {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  });

  test.each(apps)('$name shows a toast in Chromium under a strict content security policy', async (app) => {
    const directory = join(folder, encodeURIComponent(app.name));
    await using server = await serveFolder(await buildApp(app, tarball, directory));
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.location().url.endsWith('favicon.ico'))
        errors.push(message.text());
    });
    await page.goto(server.origin);
    await page.getByRole('button', { name: 'Deploy' }).click();
    const card = page.getByRole('article', { name: 'Success: Deployed' });
    await card.waitFor();
    expect((await card.boundingBox())?.width).toBeGreaterThan(300);
    await card.getByRole('button', { name: 'Close' }).click();
    await card.waitFor({ state: 'detached' });
    expect(errors).toEqual([]);
    await page.close();

    const installed = await readdir(join(directory, 'node_modules/@deskside'));
    expect(installed).toEqual(['toaster']);
  });
});

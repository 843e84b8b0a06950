import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, transform } from 'esbuild';

const folder = join(import.meta.dirname, '../src/page');
const target = ['chrome123', 'firefox125', 'safari17.5'];

/**
 * The page with its style, scripts and icon within: a browser that fetches nothing more paints sooner. The
 * `{{names}}` that are left are for the server.
 */
export async function pageSource() {
  const [early, script, style, icon] = await Promise.all([
    text('early.js'),
    bundled('popup.js'),
    minified('popup.css'),
    text('icon.svg'),
  ]);
  const head = [
    `<script>${early}</script>`,
    `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">`,
    `<style>${style}</style>`,
    `<script type="module">${script}</script>`,
  ].join('');
  return {
    document: (await text('popup.html')).replace('{{head}}', () => head),
    answerForm: await text('answer-form.html'),
    messageForm: await text('message-form.html'),
    scriptHashes: [early, script].map(hash).join(' '),
    styleHash: hash(style),
  };
}

async function text(name: string): Promise<string> {
  return (await readFile(join(folder, name), 'utf8')).trim();
}

async function bundled(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, name)],
    bundle: true,
    minify: true,
    format: 'esm',
    target,
    platform: 'browser',
    charset: 'utf8',
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
  });
  return outputFiles.map((file) => file.text.trim()).join('');
}

async function minified(name: string): Promise<string> {
  const { code } = await transform(await text(name), { loader: 'css', minify: true, target });
  return code.trim();
}

/** As a content security policy names a part that stands in the page. */
function hash(part: string): string {
  return `'sha256-${createHash('sha256').update(part).digest('base64')}'`;
}

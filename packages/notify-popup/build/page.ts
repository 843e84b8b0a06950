import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const folder = join(import.meta.dirname, '../src/page/assets');
/** Text of others, approvals and reviews. */
const look = (name: string) => fileURLToPath(import.meta.resolve(`@deskside/look/${name}`));
const target = ['chrome123', 'firefox125', 'safari17.5'];

/**
 * Builds the page from `src/page/assets`, with its style, scripts and icon inline: a browser that fetches nothing
 * else paints sooner. The server replaces the remaining `{{names}}`.
 */
export async function buildPage() {
  const [early, script, style, icon] = await Promise.all([
    readText('early.js'),
    bundleScript('popup.js'),
    minifyStyle([...['tokens.css', 'text.css', 'approval.css'].map(look), 'popup.css']),
    readText('icon.svg'),
  ]);
  const head = [
    `<script>${early}</script>`,
    `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">`,
    `<style>${style}</style>`,
    `<script type="module">${script}</script>`,
  ].join('');
  return {
    document: (await readText('popup.html')).replace('{{head}}', () => head),
    answerForm: await readText('answer-form.html'),
    messageForm: await readText('message-form.html'),
    scriptHashes: [early, script].map(policyHash).join(' '),
    styleHash: policyHash(style),
  };
}

async function readText(name: string): Promise<string> {
  return (await readFile(resolve(folder, name), 'utf8')).trim();
}

async function bundleScript(name: string): Promise<string> {
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

async function minifyStyle(names: readonly string[]): Promise<string> {
  const texts = await Promise.all(names.map(readText));
  const { code } = await transform(texts.join('\n'), { loader: 'css', minify: true, target });
  return code.trim();
}

/** The source expression that allows an inline part in a Content-Security-Policy. */
function policyHash(part: string): string {
  return `'sha256-${createHash('sha256').update(part).digest('base64')}'`;
}

import { readFile } from 'node:fs/promises';

/** Two levels up in the sources, in `dist` and in the bundle alike: `page` lies beside this folder. */
const folder = new URL('../page/', import.meta.url);

const TYPES = {
  'popup.css': 'text/css; charset=utf-8',
  'popup.js': 'text/javascript; charset=utf-8',
  'server.js': 'text/javascript; charset=utf-8',
  'guard.js': 'text/javascript; charset=utf-8',
  'countdown.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
}

/** @returns undefined for what is no file of the page's */
export async function pageFile(path: string): Promise<PageFile | undefined> {
  const name = path.slice(1);
  if (!isPageFile(name)) return undefined;
  return { type: TYPES[name], body: await readFile(new URL(name, folder)) };
}

export async function pageTemplate(
  name: 'popup.html' | 'answer-form.html' | 'message-form.html' | 'early.js',
): Promise<string> {
  return readFile(new URL(name, folder), 'utf8');
}

function isPageFile(name: string): name is keyof typeof TYPES {
  return Object.hasOwn(TYPES, name);
}

import { join } from 'node:path';
import { build } from 'esbuild';

const source = `
  import * as Dialog from '@radix-ui/react-dialog';
  import { createElement } from 'react';
  import { createRoot } from 'react-dom/client';

  createRoot(document.querySelector('#root')).render(
    createElement(Dialog.Root, {},
      createElement(Dialog.Trigger, {}, 'Settings'),
      createElement(Dialog.Portal, {},
        createElement(Dialog.Overlay, { style: { position: 'fixed', inset: 0, background: '#0008' } }),
        createElement(Dialog.Content, { 'aria-describedby': undefined, style: { position: 'fixed', top: '40%', left: '40%', background: '#fff' } },
          createElement(Dialog.Title, {}, 'Settings of the chat'),
          createElement('input', { id: 'name', 'aria-label': 'Name' })))));
`;

/** A script that renders a modal dialog of Radix and its button into `#root`. shadcn/ui uses this dialog. */
export async function buildRadixPage(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: join(import.meta.dirname, '../..') },
    bundle: true,
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
}

import { writeFile } from 'node:fs/promises';
import { escapeHtml } from '@deskside/core/text';
import { titleLine } from '@deskside/look/html';
import type { InboxRequest } from '@deskside/desktop';

/**
 * Writes a page with mode 0600 that redirects to the first address that loads. It is the first frame of the
 * window: without a title, a taskbar would show its path.
 */
export async function writeRedirectFile(
  path: string,
  addresses: readonly string[],
  { title, caller, theme }: Pick<InboxRequest, 'title' | 'caller' | 'theme'>,
): Promise<void> {
  const scheme = theme === 'auto' ? 'light dark' : theme;
  const html = [
    `<!doctype html><meta charset="utf-8"><title>${escapeHtml(titleLine(title))}</title>`,
    `<style>html { color-scheme: ${scheme}; ${FIRST_FRAME} } p { margin: 14px 16px }</style>`,
    `<p>${escapeHtml(titleLine(caller))}</p><script>${redirectScript(addresses)}</script>`,
  ];
  await writeFile(path, html.join(''), { mode: 0o600 });
}

/** As the page begins. */
const FIRST_FRAME =
  'background: light-dark(#ffffff, #1b1c20); color: light-dark(#50555f, #b3b8c3); font: 15px/1.5 system-ui';

/** Tries the next address, after longer and longer waits: an Escape key for another window stops a page that loads. */
function redirectScript(addresses: readonly string[]): string {
  return [
    `const addresses = ${JSON.stringify(addresses)};`,
    'const go = (wait) => {',
    '  if (addresses.length === 0) return;',
    '  location.replace(addresses.shift());',
    '  setTimeout(go, wait, 2 * wait);',
    '};',
    'go(700);',
  ].join('\n');
}

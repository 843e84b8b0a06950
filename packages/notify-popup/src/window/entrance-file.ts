import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A page that leads to another, in a file that only this user can read: everybody can read a program's
 * arguments.
 */
export async function entranceFile(
  folder: string,
  addresses: readonly string[],
): Promise<{ path: string; remove(): Promise<void> }> {
  const path = join(folder, `popup-${randomUUID()}.html`);
  const html = `<!doctype html><title></title><script>${script(addresses)}</script>`;
  await writeFile(path, html, { mode: 0o600 });
  return { path, remove: () => rm(path, { force: true }) };
}

/**
 * Escape stops a page that is on its way, and may have been meant for another window: then it is tried again, each
 * time after a longer wait.
 */
function script(addresses: readonly string[]): string {
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

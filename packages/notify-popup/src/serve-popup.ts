import { runServer } from '@deskside/core';
import manifest from '../package.json' with { type: 'json' };
import { popupOptions } from './options.ts';
import { openPopup } from './popup.ts';
import { popupServer } from './server.ts';

/** The MCP server, over stdio or HTTP. */
export async function runPopupServer(): Promise<void> {
  await runServer({
    name: 'deskside-notify-popup',
    version: manifest.version,
    summary: `${manifest.description}\n\nWithout arguments it serves MCP. Also: ask "QUESTION" asks from a shell (ask --help), and\n--doctor says what would show a popup on this machine.`,
    options: popupOptions,
    open: openPopup,
    definition: popupServer,
  });
}

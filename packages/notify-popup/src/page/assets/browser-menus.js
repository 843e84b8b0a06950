import { letterOf } from './keys.js';

const IS_MAC = navigator.platform.startsWith('Mac');

/** With Ctrl, or Cmd: new window, tab, source, save, print, open, bookmark, downloads, history. */
const COMMANDS = new Set(['n', 't', 'u', 's', 'p', 'o', 'd', 'j', 'h']);
/** With Ctrl+Shift, or Cmd+Shift or Cmd+Alt: developer tools, private window, bookmarks, saved data. */
const SHIFTED_COMMANDS = new Set([...COMMANDS, 'i', 'c', 'k', 'b', 'delete']);

/**
 * Turns off what belongs to a browser and not to a dialog: its shortcuts, its context menu outside of the text boxes (they
 * need it for spelling and pasting), and dropped files and links, which would open another window.
 *
 * @param takesFiles true if the page itself reads dropped files
 */
export function disableBrowserMenus(isBox, takesFiles) {
  addEventListener('keydown', (event) => {
    if (isBrowserShortcut(event)) event.preventDefault();
  });
  addEventListener('contextmenu', (event) => {
    if (!isBox(event.target)) event.preventDefault();
  });
  // Middle clicks and dragged links open windows, too.
  addEventListener('auxclick', (event) => event.preventDefault());
  addEventListener('dragstart', (event) => {
    if (event.target.closest?.('a')) event.preventDefault();
  });
  for (const name of ['dragenter', 'dragover', 'drop']) {
    addEventListener(name, (event) => {
      if (isBox(event.target) && isText(event.dataTransfer)) return;
      event.dataTransfer.dropEffect =
        takesFiles && event.dataTransfer.types.includes('Files') ? 'copy' : 'none';
      event.preventDefault();
    });
  }
}

function isBrowserShortcut(event) {
  const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
  if (key === 'F12') return true;
  const isCommand = IS_MAC ? metaKey : ctrlKey && !altKey;
  const commands = shiftKey || altKey ? SHIFTED_COMMANDS : COMMANDS;
  return isCommand && commands.has(letterOf(event));
}

function isText({ types }) {
  return types.includes('text/plain') && !types.includes('Files') && !types.includes('text/uri-list');
}

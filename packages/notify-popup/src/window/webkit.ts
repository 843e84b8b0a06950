import { fileURLToPath, pathToFileURL } from 'node:url';
import { isProgram, programPaths } from '@deskside/desktop';
import type { SystemInfo } from '../desktop/system.ts';
import { MAX_HEIGHT_PX, type WindowDriver } from './driver.ts';
import { startWindow } from './process.ts';

/** The web view of macOS, opened by a short script for an interpreter that comes with the system. */
export function webkitDriver(system: SystemInfo): WindowDriver {
  return {
    name: 'webkit-jxa',
    centersWindow: true,
    exitCodeMeansClosed: true,
    probe() {
      const found = programPaths(['osascript'], system.env['PATH']).find(isProgram);
      return found === undefined ? { missing: 'no osascript found' } : { found };
    },
    open(command, { redirectFile, title, size, takesKeyboard }) {
      // `window/native` is beside this module's folder in src and dist, and beside `bin` in a bundle.
      const script = fileURLToPath(new URL('../window/native/webkit-mac.js', import.meta.url));
      const page = [
        pathToFileURL(redirectFile).href,
        title,
        `${size.width}`,
        `${Math.min(size.height, MAX_HEIGHT_PX)}`,
      ];
      const keyboard = takesKeyboard ? 'takes-keyboard' : 'leaves-keyboard';
      return startWindow(system, command, ['-l', 'JavaScript', script, ...page, keyboard]);
    },
  };
}

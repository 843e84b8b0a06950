import { httpOptions } from '@deskside/aggregator';
import { commonOptions, type Setting } from '@deskside/core';
import { logNotifyOptions } from '@deskside/log-notify';
import { manictimeOptions } from '@deskside/manictime';
import { popupOptions } from '@deskside/notify-popup';
import { todoOptions } from '@deskside/todo';
import { uiToastOptions } from '@deskside/ui-toast';

const own: Readonly<Record<string, readonly Setting[]>> = {
  '@deskside/log-notify': logNotifyOptions.settings,
  '@deskside/manictime': manictimeOptions.settings,
  '@deskside/notify-popup': popupOptions.settings,
  '@deskside/todo': todoOptions.settings,
  '@deskside/ui-toast': uiToastOptions.settings,
};

/** A program's settings as its help lists them: its own, then the common ones. */
export function settingsOf(name: string): readonly Setting[] {
  if (name === '@deskside/aggregator') return httpOptions.settings;
  const settings = own[name];
  if (settings === undefined)
    throw new Error(`${name} has an options table, but its options are not listed here`);
  return [...settings, ...commonOptions.settings];
}

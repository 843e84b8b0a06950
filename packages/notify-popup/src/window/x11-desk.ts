import type { Machine } from '../machine/machine.ts';
import { keepAbove, type Place } from '../x11/keep-above.ts';
import { monitorInUse } from '../x11/monitors.ts';
import { connectX11, type X11Connection } from '../x11/x11-connection.ts';
import { WINDOW_SIZE } from './window-driver.ts';

/** Browsers are told to name their windows so, and the window manager's list is searched for it. */
export const WINDOW_CLASS = 'deskside-popup';

/** What an X server can do for a browser's window. */
export interface X11Desk {
  /** Where a window lies in the middle of the display in use; undefined where that can't be told. */
  readonly middle: Place | undefined;
  /** Keeps the window on top as soon as it is there, and moves it if it is to lie elsewhere; waits for nothing. */
  raise(place?: Place): void;
  leave(): void;
}

/** @returns undefined where there is no X server */
export async function openX11Desk(machine: Machine): Promise<X11Desk | undefined> {
  const x11 = await connectX11(machine);
  if (x11 === undefined) return undefined;
  const leaving = new AbortController();
  const leave = () => {
    leaving.abort();
    x11[Symbol.dispose]();
  };
  return {
    middle: await middleOf(x11),
    raise: (place) => void keepAbove(x11, WINDOW_CLASS, leaving.signal, place).then(leave, leave),
    leave,
  };
}

async function middleOf(x11: X11Connection): Promise<X11Desk['middle']> {
  const monitor = await monitorInUse(x11);
  if (monitor === undefined) return undefined;
  const { x, y, width, height } = monitor;
  return {
    x: x + Math.max(0, Math.round((width - WINDOW_SIZE.width) / 2)),
    y: y + Math.max(0, Math.round((height - WINDOW_SIZE.height) / 2)),
  };
}

import { clientMessage, words } from './requests.ts';
import type { X11Connection } from './x11-connection.ts';

const CHANGE_WINDOW_ATTRIBUTES = 2;
const GET_PROPERTY = 20;
const SEND_EVENT = 25;
const WM_CLASS = 67;
const EVENT_MASK = 0x800;
const PROPERTY_CHANGE = 0x40_00_00;
const SUBSTRUCTURE_REDIRECT_AND_NOTIFY = 0x18_00_00;
const ADD = 1;
/** A pager: window managers do what it asks, where they would suspect an application of stealing the focus. */
const PAGER = 2;

/** `x` and `y` are given (bits 8 and 9), by a pager (bits 12 to 15), for the top left corner of the frame. */
const MOVE = 0x23_01;

export interface Place {
  /** Pixels from the top left corner of the whole desktop. */
  readonly x: number;
  readonly y: number;
}

/**
 * Waits for the window of this class to appear, then asks the window manager to keep it above the others, on
 * every desktop, and to give it the keyboard.
 *
 * @param place where it is to be moved, if anywhere
 * @returns false where none appeared before the signal was aborted, or the server went away
 */
export async function keepAbove(
  x11: X11Connection,
  windowClass: string,
  signal: AbortSignal,
  place?: Place,
): Promise<boolean> {
  x11.send(CHANGE_WINDOW_ATTRIBUTES, 0, words(x11.root, EVENT_MASK, PROPERTY_CHANGE));
  const window = await windowOf(x11, windowClass, signal);
  if (window === undefined) return false;
  if (place !== undefined) {
    const move = await x11.atom('_NET_MOVERESIZE_WINDOW');
    toRoot(x11, clientMessage(window, move, [MOVE, place.x, place.y, 0, 0]));
  }
  const state = await x11.atom('_NET_WM_STATE');
  const above = await x11.atom('_NET_WM_STATE_ABOVE');
  const sticky = await x11.atom('_NET_WM_STATE_STICKY');
  toRoot(x11, clientMessage(window, state, [ADD, above, sticky, PAGER, 0]));
  toRoot(x11, clientMessage(window, await x11.atom('_NET_ACTIVE_WINDOW'), [PAGER, 0, 0, 0, 0]));
  // An answer after the last request means that all of them arrived.
  await x11.atom('_NET_WM_NAME');
  return true;
}

async function windowOf(
  x11: X11Connection,
  windowClass: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const clientList = await x11.atom('_NET_CLIENT_LIST');
  while (x11.isOpen && !signal.aborted) {
    const changed = nextChange(x11, signal);
    const list = await property(x11, x11.root, clientList);
    for (let offset = 0; offset + 4 <= list.length; offset += 4) {
      const window = list.readUInt32LE(offset);
      const classes = await property(x11, window, WM_CLASS);
      if (classes.toString('latin1').split('\0').includes(windowClass)) return window;
    }
    await changed;
  }
  return undefined;
}

function nextChange(x11: X11Connection, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    x11.onPropertyChange = resolve;
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function property(x11: X11Connection, window: number, name: number): Promise<Buffer> {
  const reply = await x11.ask(GET_PROPERTY, 0, words(window, name, 0, 0, 4096));
  if (reply === undefined) return Buffer.alloc(0);
  const bytesAnItem = reply.readUInt8(1) / 8;
  return reply.subarray(32, 32 + bytesAnItem * reply.readUInt32LE(16));
}

function toRoot(x11: X11Connection, event: Buffer): void {
  x11.send(SEND_EVENT, 0, Buffer.concat([words(x11.root, SUBSTRUCTURE_REDIRECT_AND_NOTIFY), event]));
}

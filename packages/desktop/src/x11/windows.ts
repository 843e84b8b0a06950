import { clientMessage, uint32s, type X11Connection } from './x11-connection.ts';

const GET_PROPERTY = 20;
const SEND_EVENT = 25;
const SUBSTRUCTURE_REDIRECT_AND_NOTIFY = 0x18_00_00;
/** Window managers obey a pager; they suspect an application of stealing the focus. */
export const SOURCE_PAGER = 2;
/** The longest value that is read: 16 KiB. */
const MAX_VALUE_WORDS = 4096;

/** @returns the value's bytes; empty if the window has no such property */
export async function property(x11: X11Connection, window: number, name: number | string): Promise<Buffer> {
  const atom = typeof name === 'number' ? name : await x11.atom(name);
  const reply = await x11.request(GET_PROPERTY, 0, uint32s(window, atom, 0, 0, MAX_VALUE_WORDS));
  if (reply === undefined) return Buffer.alloc(0);
  const bytesPerItem = reply.readUInt8(1) / 8;
  return reply.subarray(32, 32 + bytesPerItem * reply.readUInt32LE(16));
}

/** @returns the numbers of a property: windows, atoms or cardinals */
export async function numbers(x11: X11Connection, window: number, name: string): Promise<readonly number[]> {
  return words(await property(x11, window, name));
}

function words(bytes: Buffer): readonly number[] {
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readUInt32LE(4 * index));
}

/** @returns undefined if no window has the keyboard */
export async function activeWindow(x11: X11Connection): Promise<number | undefined> {
  const [window] = await numbers(x11, x11.root, '_NET_ACTIVE_WINDOW');
  return window || undefined;
}

/** Sends an event to the window manager. */
export function sendToRoot(x11: X11Connection, event: Buffer): void {
  x11.send(SEND_EVENT, 0, Buffer.concat([uint32s(x11.root, SUBSTRUCTURE_REDIRECT_AND_NOTIFY), event]));
}

/** Raises a window and gives it the keyboard. */
export async function activateWindow(x11: X11Connection, window: number): Promise<void> {
  const type = await x11.atom('_NET_ACTIVE_WINDOW');
  sendToRoot(x11, clientMessage(window, type, [SOURCE_PAGER, 0, 0, 0, 0]));
}

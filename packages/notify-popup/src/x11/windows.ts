import { numbers, uint32s, type X11Connection } from '@deskside/desktop';

const CHANGE_WINDOW_ATTRIBUTES = 2;
const GET_GEOMETRY = 14;
const CHANGE_PROPERTY = 18;
const TRANSLATE_COORDINATES = 40;
const EVENT_MASK = 0x800;
const CREATE_NOTIFY = 16;
const PROPERTY_NOTIFY = 28;
const BITS_PER_CHARACTER = 8;

/** The value of `_NET_WM_DESKTOP` for a window on every workspace. */
export const ALL_WORKSPACES = 0xff_ff_ff_ff;

/** Kinds of events, for `selectEvents`. */
export const PROPERTY_CHANGE = 0x40_00_00;
/** Of the root window: windows of programs come and go. */
export const SUBSTRUCTURE = 0x8_00_00;

/** Pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Pixels from the top left corner of the whole desktop. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export type Rectangle = Point & Size;

/** Asks for events of a window. */
export function selectEvents(x11: X11Connection, window: number, mask: number): void {
  x11.send(CHANGE_WINDOW_ATTRIBUTES, 0, uint32s(window, EVENT_MASK, mask));
}

/** @returns the window that an event says has come or has changed a property */
export function windowOf(event: Buffer): number | undefined {
  const kind = event.readUInt8(0) & 0x7f;
  if (kind === CREATE_NOTIFY) return event.readUInt32LE(8);
  return kind === PROPERTY_NOTIFY ? event.readUInt32LE(4) : undefined;
}

/** Sets the title of a window. */
export async function entitle(x11: X11Connection, window: number, title: string): Promise<void> {
  const [name, type] = await Promise.all([x11.atom('_NET_WM_NAME'), x11.atom('UTF8_STRING')]);
  const bytes = Buffer.from(title);
  const padding = Buffer.alloc((4 - (bytes.length % 4)) % 4);
  const head = uint32s(window, name, type, BITS_PER_CHARACTER, bytes.length);
  x11.send(CHANGE_PROPERTY, 0, Buffer.concat([head, bytes, padding]));
}

/** True if a window manager runs on the display, that is, if a person can use windows there. */
export async function hasWindowManager(x11: X11Connection): Promise<boolean> {
  const [owner] = await numbers(x11, x11.root, '_NET_SUPPORTING_WM_CHECK');
  // The window manager's own window confirms that it has not crashed.
  return owner !== undefined && (await numbers(x11, owner, '_NET_SUPPORTING_WM_CHECK')).length > 0;
}

/** @returns the place of a window without its frame; undefined if the window does not exist */
export async function rectangleOf(x11: X11Connection, window: number): Promise<Rectangle | undefined> {
  const [geometry, place] = await Promise.all([
    x11.request(GET_GEOMETRY, 0, uint32s(window)),
    x11.request(TRANSLATE_COORDINATES, 0, uint32s(window, x11.root, 0)),
  ]);
  if (geometry === undefined || place === undefined) return undefined;
  const [width, height] = [geometry.readUInt16LE(16), geometry.readUInt16LE(18)];
  return { x: place.readInt16LE(12), y: place.readInt16LE(14), width, height };
}

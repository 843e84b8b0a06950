import {
  numbers,
  screenSaver,
  selectScreenSaverEvents,
  uint32s,
  type X11Connection,
} from '@deskside/desktop';
import { type Scheduler, systemClock } from '@deskside/core/base';
import {
  ALL_WORKSPACES,
  contains,
  isViewable,
  nextEvent,
  PROPERTY_CHANGE,
  type Rectangle,
  rectangleOf,
  selectEvents,
  SUBSTRUCTURE_NOTIFY,
  treeOf,
} from './windows.ts';

/** How much of a window a person at the screen can see. */
export type Visibility =
  | 'visible'
  /** The person put it aside. */
  | 'minimized'
  /** On another workspace, or hidden with all windows. */
  | 'elsewhere'
  /** Behind a window of another program, for example one in full screen. */
  | 'covered'
  /** The screen is locked or blank. */
  | 'locked';

/** Window managers do in several steps what is one change for the person. */
const SETTLE_MS = 150;
const SHAPE_GET_RECTANGLES = 8;
const INPUT_SHAPE = 2;
/** Window managers put a window into one or two windows of their own. */
const MAX_FRAMES = 2;

/** Reports how much of a window is visible, now and after each change, until the window or the connection ends. */
export async function watchVisibility(
  x11: X11Connection,
  window: number,
  onChange: (visibility: Visibility) => void,
  clock: Scheduler = systemClock,
): Promise<void> {
  selectEvents(x11, x11.root, PROPERTY_CHANGE | SUBSTRUCTURE_NOTIFY);
  selectEvents(x11, window, PROPERTY_CHANGE);
  await selectScreenSaverEvents(x11);
  let last: Visibility | undefined;
  for (;;) {
    await new Promise<void>((resolve) => {
      clock.after(SETTLE_MS, resolve, { isBackground: true });
    });
    const changed = nextEvent(x11);
    const visibility = await visibilityOf(x11, window);
    if (visibility === undefined) return;
    if (visibility !== last) onChange(visibility);
    last = visibility;
    await changed;
  }
}

/** @returns undefined if the window does not exist */
async function visibilityOf(x11: X11Connection, window: number): Promise<Visibility | undefined> {
  const [isMapped, rectangle, states, hidden, [workspace], [current], saver] = await Promise.all([
    isViewable(x11, window),
    rectangleOf(x11, window),
    numbers(x11, window, '_NET_WM_STATE'),
    x11.atom('_NET_WM_STATE_HIDDEN'),
    numbers(x11, window, '_NET_WM_DESKTOP'),
    numbers(x11, x11.root, '_NET_CURRENT_DESKTOP'),
    screenSaver(x11),
  ]);
  if (isMapped === undefined || rectangle === undefined) return undefined;
  if (states.includes(hidden)) return 'minimized';
  const isHere = workspace === undefined || workspace === ALL_WORKSPACES || workspace === current;
  if (!isMapped || !isHere) return 'elsewhere';
  if (saver?.isOn === true) return 'locked';
  const cover = await coverOf(x11, window, rectangle);
  if (cover === undefined) return 'visible';
  // Windows that the window manager does not manage lock the screen, as i3lock does, or show a menu for a moment.
  const managed = new Set(await numbers(x11, x11.root, '_NET_CLIENT_LIST'));
  return (await holds(x11, cover, managed)) ? 'covered' : 'locked';
}

/** @returns a window above this one that takes all clicks on it */
async function coverOf(
  x11: X11Connection,
  window: number,
  rectangle: Rectangle,
): Promise<number | undefined> {
  const [{ children: stack = [] } = {}, frame] = await Promise.all([
    treeOf(x11, x11.root),
    outermost(x11, window),
  ]);
  const above = stack.slice(stack.indexOf(frame) + 1);
  const covers = await Promise.all(
    above.map(
      async (other) =>
        (await isViewable(x11, other)) === true &&
        (await inputAreas(x11, other)).some((area) => contains(area, rectangle)),
    ),
  );
  return above.find((_, index) => covers[index]);
}

/** The frame of a window: its ancestor below the root. */
async function outermost(x11: X11Connection, window: number): Promise<number> {
  const { parent = x11.root } = (await treeOf(x11, window)) ?? {};
  return parent === x11.root ? window : outermost(x11, parent);
}

/** Where a window takes clicks. A compositor's own window, which shows all others, takes none. */
async function inputAreas(x11: X11Connection, window: number): Promise<readonly Rectangle[]> {
  const [opcode, origin] = await Promise.all([x11.extension('SHAPE'), rectangleOf(x11, window)]);
  if (origin === undefined) return [];
  const reply = opcode && (await x11.request(opcode, SHAPE_GET_RECTANGLES, uint32s(window, INPUT_SHAPE)));
  if (!reply) return [origin];
  return Array.from({ length: reply.readUInt32LE(8) }, (_, index) => {
    const at = 32 + 8 * index;
    return {
      x: origin.x + reply.readInt16LE(at),
      y: origin.y + reply.readInt16LE(at + 2),
      width: reply.readUInt16LE(at + 4),
      height: reply.readUInt16LE(at + 6),
    };
  });
}

/** True if a window is, or is the frame of, one of these. */
async function holds(
  x11: X11Connection,
  window: number,
  managed: ReadonlySet<number>,
  frames = MAX_FRAMES,
): Promise<boolean> {
  if (managed.has(window)) return true;
  if (frames === 0) return false;
  const { children = [] } = (await treeOf(x11, window)) ?? {};
  const found = await Promise.all(children.map((child) => holds(x11, child, managed, frames - 1)));
  return found.includes(true);
}

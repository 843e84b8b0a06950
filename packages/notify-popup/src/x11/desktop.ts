import { setTimeout as delay } from 'node:timers/promises';
import {
  activateWindow,
  activeWindow,
  clientMessage,
  connectX11,
  numbers,
  property,
  sendToRoot,
  SOURCE_PAGER,
  uint32s,
  type X11Connection,
  type X11Session,
} from '@deskside/desktop';
import {
  ALL_WORKSPACES,
  entitle,
  type Point,
  PROPERTY_CHANGE,
  type Rectangle,
  rectangleOf,
  selectEvents,
  type Size,
  SUBSTRUCTURE,
  windowOf,
} from './windows.ts';

const QUERY_POINTER = 38;
const RANDR_QUERY_VERSION = 0;
const RANDR_GET_MONITORS = 42;

const WM_CLASS = 67;
const RESOURCE_MANAGER = 23;
const STATE_ADD = 1;
/** The x and y of the corner of the frame, from a pager. */
const MOVE_FRAME = 1 | (1 << 8) | (1 << 9) | (SOURCE_PAGER << 12);
/** A window that is this close to the center is not moved. */
const MAX_DISTANCE_PIXELS = 24;
const OPENING_LOOKS = 12;
const LOOK_INTERVAL_MS = 200;
/** Chromium shows the address of a page until it knows its title. */
const PAGE_SERVER = '127.0.0.1:';
/** Of its monitor: a page asks for no more. */
const MAX_SHARE = 0.77;
const BASE_DPI = 96;
const MAX_DPI = 480;

/** The X11 class of the window, by which the window manager's list is searched. */
export const WINDOW_CLASS = 'deskside-popup';

export interface WindowUse {
  /** False for news: it leaves the keyboard where it is. */
  readonly takesKeyboard: boolean;
  /** Resolves when the page is painted. */
  readonly painted: Promise<unknown>;
  /** The person has pressed a key or a button in it. */
  readonly isUsed: () => boolean;
  readonly title: string;
  /** It is among the windows of the desktop: a person can close it from now on. */
  readonly onOpen: () => void;
  /** It shows another page: a policy blocks ours, or a dialog of the browser comes first. */
  readonly onForeign: (title: string) => void;
}

/**
 * What an X server can do for the window of another program.
 *
 * @returns undefined if no X server answers
 */
export async function openX11Desktop(session: X11Session) {
  const x11 = await connectX11(session);
  return x11 && desktopOn(x11);
}

async function desktopOn(x11: X11Connection) {
  const close = () => x11[Symbol.dispose]();
  const monitor = await monitorInUse(x11);
  const scale = await scaleOf(x11);
  const [, , , workHeight = Infinity] = await numbers(x11, x11.root, '_NET_WORKAREA');
  /** What had the keyboard when the window was started. */
  const atStart = await activeWindow(x11);
  /** Windows that were there then, also of another server, and their processes: ids are used again. */
  const others = new Map<number, number | undefined>();
  for (const window of await clientList()) others.set(window, await processOf(window));

  /**
   * Waits for the first window of this class, then asks the window manager to keep it above the others, on every
   * workspace, in the center, and to give it the keyboard.
   */
  async function keepOnTop(use: WindowUse, file: string | undefined): Promise<void> {
    const { takesKeyboard, painted, isUsed } = use;
    const opening = new AbortController();
    void painted.then(() => opening.abort());
    let wake: (() => void) | undefined;
    const lookAt = (window: number | undefined) => {
      if (file !== undefined && window !== undefined && !opening.signal.aborted)
        void watchTitle(window, use, file, opening.signal);
    };
    x11.onEvent = (event) => {
      wake?.();
      lookAt(event && windowOf(event));
    };
    selectEvents(x11, x11.root, PROPERTY_CHANGE | SUBSTRUCTURE);
    const found = await waitForWindow(() => new Promise((resolve) => (wake = resolve)));
    if (found === undefined) return;
    use.onOpen();
    const { window, previous } = found;
    // It may be older than the first event.
    lookAt(window);
    // The person may have gone to another window since the browser was started.
    const before = previous === undefined || previous === window ? atStart : previous;
    const active = takesKeyboard ? window : before;
    const state = await x11.atom('_NET_WM_STATE');
    const above = await x11.atom('_NET_WM_STATE_ABOVE');
    const sticky = await x11.atom('_NET_WM_STATE_STICKY');
    sendToRoot(x11, clientMessage(window, state, [STATE_ADD, above, sticky, SOURCE_PAGER, 0]));
    const workspace = await x11.atom('_NET_WM_DESKTOP');
    sendToRoot(x11, clientMessage(window, workspace, [ALL_WORKSPACES, SOURCE_PAGER, 0, 0, 0]));
    if (active !== undefined) await activateWindow(x11, active);
    await moveToCenter(window);
    await painted;
    // A browser may take the keyboard after its window was given to the window manager.
    const isTaken = !takesKeyboard && (await activeWindow(x11)) === window;
    if (isTaken && active !== undefined) await activateWindow(x11, active);
    await centerWhileOpening(window, isUsed);
  }

  /**
   * For some time after the window opens, places it after each change of its size: its page asks for its size, and a
   * tiling window manager takes it out of its tiles. Then it is the person's.
   */
  async function centerWhileOpening(window: number, isUsed: () => boolean): Promise<void> {
    let before = '';
    let placed = '';
    for (let look = 0; look < OPENING_LOOKS && x11.isOpen; look += 1) {
      const { width, height } = (await rectangleOf(x11, window)) ?? {};
      if (width === undefined || isUsed()) return;
      const size = `${width} ${height}`;
      if (size === before && size !== placed) {
        await moveToCenter(window);
        placed = size;
      }
      before = size;
      await delay(LOOK_INTERVAL_MS);
    }
  }

  /** Corrects the place of the window, in pixels: a browser that uses another scale than `scaleOf` places it elsewhere. */
  async function moveToCenter(window: number): Promise<void> {
    const rectangle = await rectangleOf(x11, window);
    if (rectangle === undefined || monitor === undefined) return;
    const [left = 0, right = 0, top = 0, bottom = 0] = await numbers(x11, window, '_NET_FRAME_EXTENTS');
    const { width, height } = rectangle;
    const { x, y } = centered({ width: width + left + right, height: height + top + bottom }, monitor);
    if (Math.hypot(rectangle.x - left - x, rectangle.y - top - y) <= MAX_DISTANCE_PIXELS) return;
    const move = await x11.atom('_NET_MOVERESIZE_WINDOW');
    sendToRoot(x11, clientMessage(window, move, [MOVE_FRAME, x, y, 0, 0]));
  }

  /**
   * The first title of a window of Chromium is the path of the file that it opens, and then its name. The title of the
   * page replaces them; any other one is that of another page.
   */
  async function watchTitle(
    window: number,
    { title, onForeign }: WindowUse,
    file: string,
    opening: AbortSignal,
  ): Promise<void> {
    selectEvents(x11, window, PROPERTY_CHANGE);
    if (!(await hasClass(window))) return;
    const shown = (await property(x11, window, '_NET_WM_NAME')).toString('utf8');
    if (opening.aborted || shown === '' || shown === title || shown.startsWith(PAGE_SERVER)) return;
    if (shown.startsWith('_') || shown === file) await entitle(x11, window, title);
    // A program has windows that no person sees, too.
    else if ((await clientList()).includes(window)) onForeign(shown);
  }

  /**
   * @param changed resolves after the next event, and when the connection ends
   * @returns the window, and what had the keyboard before it; undefined if the connection ends before the window exists
   */
  async function waitForWindow(changed: () => Promise<void>) {
    let previous: number | undefined;
    while (x11.isOpen) {
      const next = changed();
      const active = await activeWindow(x11);
      for (const window of await clientList()) {
        const isOther = async () => others.has(window) && others.get(window) === (await processOf(window));
        if ((await hasClass(window)) && !(await isOther()))
          return { window, previous: active === window ? previous : active };
      }
      previous = active;
      await next;
    }
    return undefined;
  }

  function clientList(): Promise<readonly number[]> {
    return numbers(x11, x11.root, '_NET_CLIENT_LIST');
  }

  async function processOf(window: number): Promise<number | undefined> {
    const [pid] = await numbers(x11, window, '_NET_WM_PID');
    return pid;
  }

  async function hasClass(window: number): Promise<boolean> {
    const classes = await property(x11, window, WM_CLASS);
    return classes.toString('latin1').split('\0').includes(WINDOW_CLASS);
  }

  return {
    /**
     * Top left corner of a window that is centered on the display in use, in units of 1/96 inch; undefined if the
     * server does not say.
     */
    centerOf({ width, height }: Size): Point | undefined {
      if (monitor === undefined) return undefined;
      const { x, y } = centered({ width: width * scale, height: height * scale }, monitor);
      return { x: Math.round(x / scale), y: Math.round(y / scale) };
    },
    /** The height that a page asks for at most, in the same units. */
    highest: monitor && Math.floor((Math.min(monitor.height, workHeight) * MAX_SHARE) / scale),
    /**
     * Keeps the window on top and in the center, and gives the keyboard to the right window, as soon as it exists.
     * Returns at once.
     *
     * @param file the name of what a window of Chromium opens; undefined for another browser
     */
    keepOnTop(use: WindowUse, file?: string) {
      void keepOnTop(use, file).then(close, close);
    },
    close,
  };
}

/** Pixels per 1/96 inch, as the desktop environment sets it for all programs. */
async function scaleOf(x11: X11Connection): Promise<number> {
  const resources = (await property(x11, x11.root, RESOURCE_MANAGER)).toString('latin1');
  const dpi = Number(/^Xft\.dpi:\s*([\d.]+)\s*$/m.exec(resources)?.[1] ?? BASE_DPI);
  return dpi >= BASE_DPI && dpi <= MAX_DPI ? dpi / BASE_DPI : 1;
}

/** A window that is larger than the monitor starts at its corner. */
function centered({ width, height }: Size, monitor: Point & Size): Point {
  return {
    x: monitor.x + Math.max(0, Math.round((monitor.width - width) / 2)),
    y: monitor.y + Math.max(0, Math.round((monitor.height - height) / 2)),
  };
}

interface Monitor extends Rectangle {
  readonly isPrimary: boolean;
}

/** @returns the monitor under the mouse, else the primary one; undefined if the server does not say */
async function monitorInUse(x11: X11Connection): Promise<Monitor | undefined> {
  const monitors = await readMonitors(x11);
  const pointer = await x11.request(QUERY_POINTER, 0, uint32s(x11.root));
  const [x, y] = [pointer?.readInt16LE(16) ?? -1, pointer?.readInt16LE(18) ?? -1];
  return (
    monitors.find(
      (each) => x >= each.x && y >= each.y && x < each.x + each.width && y < each.y + each.height,
    ) ??
    monitors.find(({ isPrimary }) => isPrimary) ??
    monitors[0]
  );
}

async function readMonitors(x11: X11Connection): Promise<Monitor[]> {
  const randr = await x11.extension('RANDR');
  if (randr === undefined) return [];
  await x11.request(randr, RANDR_QUERY_VERSION, uint32s(1, 5));
  const reply = await x11.request(randr, RANDR_GET_MONITORS, uint32s(x11.root, 1));
  return reply === undefined ? [] : [...parseMonitors(reply)];
}

/** A monitor is name, primary, automatic, number of outputs, x, y, width, height, size in millimeters, outputs. */
function* parseMonitors(reply: Buffer): Generator<Monitor> {
  let offset = 32;
  for (let left = reply.readUInt32LE(12); left > 0; left -= 1) {
    yield {
      isPrimary: reply.readUInt8(offset + 4) === 1,
      x: reply.readInt16LE(offset + 8),
      y: reply.readInt16LE(offset + 10),
      width: reply.readUInt16LE(offset + 12),
      height: reply.readUInt16LE(offset + 14),
    };
    offset += 24 + 4 * reply.readUInt16LE(offset + 6);
  }
}

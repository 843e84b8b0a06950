import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { type Desktop, type DesktopWindow, missingPackages, openDesktop, waitFor } from './desktop.ts';

/** Checks without a change, 50 ms apart, after which a window stands still. */
const CHECKS_WITHOUT_CHANGE = 2;

/** On a page of the same color, the picture needs an edge. */
const FRAME = { top: 2, bottom: 2, left: 2, right: 2, background: '#8b949e' };

/** A virtual screen for the pictures of a theme. */
export interface PictureScreen {
  readonly desktop: Desktop;
  readonly home: string;
  readonly theme: 'light' | 'dark';
  /** Pixels of the screen per pixel at 96 dpi. */
  readonly scale: number;
  /** The path of a picture, with the theme in its name. */
  pathOf(name: string, type?: string): string;
  /** Waits until the popup no longer changes. @param countsDown no two pictures have the same time: it is painted over */
  take(name: string, countsDown?: boolean): Promise<void>;
}

/**
 * Takes pictures for README and docs in both themes: `node build/….ts [--dpi 96] [--to FOLDER]`. Needs the Debian packages of
 * the tests on a real screen.
 *
 * @param name of the home folder, which may be in a picture
 * @param size of the screen at 96 dpi
 * @returns the folder of `--to`
 */
export async function takePictures(
  name: string,
  { width, height }: { readonly width: number; readonly height: number },
  work: (screen: PictureScreen) => Promise<void>,
): Promise<string | undefined> {
  const options = { dpi: { type: 'string', default: '144' }, to: { type: 'string' } } as const;
  const { to, dpi } = parseArgs({ options }).values;
  const folder = to ?? join(import.meta.dirname, '../../../../docs/pictures');
  const scale = Number(dpi) / 96;
  if (missingPackages.length > 0)
    throw new Error(`Install these packages first: ${missingPackages.join(', ')}`);
  mkdirSync(folder, { recursive: true });
  for (const theme of ['light', 'dark'] as const) {
    const home = join(tmpdir(), name);
    // A browser may have written there after the last time.
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home);
    await onScreen(home, { screen: `${width * scale}x${height * scale}`, dpi }, async (desktop) => {
      const pathOf = (picture: string, type = 'png') => join(folder, `${picture}-${theme}.${type}`);
      const take = (picture: string, countsDown = false) => {
        // The pointer would be in the picture.
        desktop.run('xdotool', 'mousemove', '2', '2');
        return takePicture(home, desktop.popup, pathOf(picture), countsDown ? scale : undefined);
      };
      await work({ desktop, home, theme, scale, pathOf, take });
    });
    // The browser may still write.
    rmSync(home, { recursive: true, maxRetries: 10 });
  }
  return to;
}

async function onScreen(
  home: string,
  { screen, dpi }: { readonly screen: string; readonly dpi: string },
  work: (desktop: Desktop) => Promise<void>,
): Promise<void> {
  await using desktop = await openDesktop(home, { screen, framebuffer: ['-fbdir', home] });
  const resources = ['-set', 'RESOURCE_MANAGER', `Xft.dpi: ${dpi}\n`];
  desktop.run('xprop', '-root', '-f', 'RESOURCE_MANAGER', '8s', ...resources);
  withoutBlinking(home);
  await work(desktop);
}

/** No caret blinks and nothing fades in in the windows of this home folder: the same picture is the same file. */
function withoutBlinking(home: string): void {
  const gtk = join(home, 'config/gtk-3.0');
  mkdirSync(gtk, { recursive: true });
  writeFileSync(join(gtk, 'settings.ini'), '[Settings]\ngtk-cursor-blink=0\ngtk-enable-animations=0\n');
}

/** Where a window shows the time that is left, in CSS pixels from its right upper corner. */
const TIME_LEFT = { fromRight: 104, top: 12, width: 96, height: 24 };

/**
 * Waits until a window no longer changes, and writes it as PNG with a frame.
 *
 * @param scale of a window that counts down
 */
export async function takePicture(
  folder: string,
  window: () => DesktopWindow | undefined,
  path: string,
  scale?: number,
): Promise<void> {
  const { pixels, size } = await standsStill(folder, window);
  const [r, g, b] = pixels.subarray(0, 3);
  const { fromRight, top, width, height } = TIME_LEFT;
  const over = (by: number) => ({
    input: {
      create: { width: width * by, height: height * by, channels: 3 as const, background: { r, g, b } },
    },
    left: size.width - fromRight * by,
    top: top * by,
  });
  const png = await sharp(pixels, { raw: { ...size, channels: 3 } })
    .composite(scale === undefined ? [] : [over(scale)])
    .extend(FRAME)
    .png({ compressionLevel: 9, adaptiveFiltering: false })
    .toBuffer();
  if (!existsSync(path) || !(await looksSame(readFileSync(path), png))) writeFileSync(path, png);
}

/** In each run the browser draws the edges of some letters otherwise. From this far, no edge is seen, but each letter is. */
const DISTANCE = 4;
/** Of 255. */
const MAX_UNNOTICED = 20;

/** True if a person does not notice that it is another picture. */
async function looksSame(before: Buffer, after: Buffer): Promise<boolean> {
  const [old, next] = [await fromFar(before), await fromFar(after)];
  const isNear = (value: number, index: number) => Math.abs(value - (next.data[index] ?? 0)) <= MAX_UNNOTICED;
  return old.size === next.size && old.data.every(isNear);
}

async function fromFar(picture: Buffer) {
  const { width, height } = await sharp(picture).metadata();
  const far = { width: Math.ceil(width / DISTANCE), height: Math.ceil(height / DISTANCE) };
  const shown = sharp(picture)
    .removeAlpha()
    .resize({ ...far, fit: 'fill', kernel: 'linear' });
  return { size: `${width} ${height}`, data: await shown.raw().toBuffer() };
}

/**
 * Waits until a window no longer changes.
 *
 * @param folder the one that the virtual screen has in `-fbdir`
 */
export async function standsStill(folder: string, window: () => DesktopWindow | undefined) {
  let last = Buffer.alloc(0);
  let size = { width: 0, height: 0 };
  let unchanged = 0;
  await waitFor(() => {
    const area = window();
    if (area === undefined) return false;
    const pixels = readPixels(readFileSync(join(folder, 'Xvfb_screen0')), area);
    // A window of one color has not been painted.
    const isPainted = !pixels.subarray(3).equals(pixels.subarray(0, -3));
    unchanged = isPainted && pixels.equals(last) ? unchanged + 1 : 0;
    last = pixels;
    size = { width: area.width, height: area.height };
    return unchanged === CHECKS_WITHOUT_CHANGE;
  }, 'the window stands still');
  return { pixels: last, size };
}

/**
 * The color of a place in a window, such as `#1f4fbf`; negative numbers count from its right and bottom edges.
 *
 * @param folder the one that the virtual screen has in `-fbdir`
 */
export function colorAt(folder: string, window: DesktopWindow | undefined, x: number, y: number): string {
  if (window === undefined) return '';
  const left = window.x + (x < 0 ? window.width + x : x);
  const top = window.y + (y < 0 ? window.height + y : y);
  const place = { ...window, x: left, y: top, width: 1, height: 1 };
  return `#${readPixels(readFileSync(join(folder, 'Xvfb_screen0')), place).toString('hex')}`;
}

/** RGB of a part of the screen, from a file in X Window Dump format. */
export function readPixels(
  dump: Buffer,
  { x, y, width, height }: Pick<DesktopWindow, 'x' | 'y' | 'width' | 'height'>,
): Buffer<ArrayBuffer> {
  const headerBytes = dump.readUInt32BE(0);
  const bytesPerLine = dump.readUInt32BE(48);
  const colors = dump.readUInt32BE(76);
  const start = headerBytes + colors * 12;
  const pixels = Buffer.alloc(width * height * 3);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const from = start + (y + row) * bytesPerLine + (x + column) * 4;
      const to = (row * width + column) * 3;
      // Little-endian: blue, green, red.
      for (const channel of [0, 1, 2]) pixels[to + channel] = dump[from + 2 - channel] ?? 0;
    }
  }
  return pixels;
}

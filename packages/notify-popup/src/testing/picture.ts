import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { type DesktopWindow, waitFor } from './desktop.ts';

/** Checks without a change, 50 ms apart, after which a window stands still. */
const CHECKS_WITHOUT_CHANGE = 2;

/** On a page of the same color, the picture needs an edge. */
const FRAME = { top: 2, bottom: 2, left: 2, right: 2, background: '#8b949e' };

/** No caret blinks and nothing fades in in the windows of this home folder: the same picture is the same file. */
export function withoutBlinking(home: string): void {
  const gtk = join(home, 'config/gtk-3.0');
  mkdirSync(gtk, { recursive: true });
  writeFileSync(join(gtk, 'settings.ini'), '[Settings]\ngtk-cursor-blink=0\ngtk-enable-animations=0\n');
}

/** Where a window shows the time that is left, in CSS pixels from its right upper corner. */
const TIME_LEFT = { fromRight: 104, top: 12, width: 96, height: 24 };

/**
 * Waits until a window no longer changes, and writes it as PNG with a frame.
 *
 * @param scale of a window that counts down: no second picture would have the same time, so it is painted over
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
  const over =
    scale === undefined
      ? []
      : [
          {
            input: {
              create: {
                width: width * scale,
                height: height * scale,
                channels: 3 as const,
                background: { r, g, b },
              },
            },
            left: size.width - fromRight * scale,
            top: top * scale,
          },
        ];
  await sharp(pixels, { raw: { ...size, channels: 3 } })
    .composite(over)
    .extend(FRAME)
    .png({ compressionLevel: 9, adaptiveFiltering: false })
    .toFile(path);
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

import { padded, words } from './requests.ts';
import type { X11Connection } from './x11-connection.ts';

const QUERY_POINTER = 38;
const QUERY_EXTENSION = 98;
const RANDR_QUERY_VERSION = 0;
const RANDR_GET_MONITORS = 42;

/** Pixels, from the top left corner of the whole desktop. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** @returns the monitor that the mouse is on, else the primary one; undefined where the server can't say */
export async function monitorInUse(x11: X11Connection): Promise<Rectangle | undefined> {
  const monitors = await monitorsOf(x11);
  const pointer = await x11.ask(QUERY_POINTER, 0, words(x11.root));
  const [x, y] = [pointer?.readInt16LE(16) ?? -1, pointer?.readInt16LE(18) ?? -1];
  return (
    monitors.find((monitor) => contains(monitor, x, y)) ??
    monitors.find(({ isPrimary }) => isPrimary) ??
    monitors[0]
  );
}

interface Monitor extends Rectangle {
  readonly isPrimary: boolean;
}

async function monitorsOf(x11: X11Connection): Promise<Monitor[]> {
  const name = Buffer.alloc(4);
  name.writeUInt16LE('RANDR'.length, 0);
  const extension = await x11.ask(QUERY_EXTENSION, 0, Buffer.concat([name, padded('RANDR')]));
  if (extension === undefined || extension.readUInt8(8) === 0) return [];
  const randr = extension.readUInt8(9);
  await x11.ask(randr, RANDR_QUERY_VERSION, words(1, 5));
  const reply = await x11.ask(randr, RANDR_GET_MONITORS, words(x11.root, 1));
  return reply === undefined ? [] : [...readMonitors(reply)];
}

/** Each is name, primary, automatic, number of outputs, x, y, width, height, size in millimetres, outputs. */
function* readMonitors(reply: Buffer): Generator<Monitor> {
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

function contains({ x, y, width, height }: Rectangle, left: number, top: number): boolean {
  return left >= x && left < x + width && top >= y && top < y + height;
}

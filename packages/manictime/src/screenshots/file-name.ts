import { parseWallTime, type WallTime } from '../time/wall-clock.ts';

/** One capture of one monitor, as its file names say. There may be an image, a thumbnail of it, or both. */
export interface Shot {
  /** Local clock. */
  readonly local: WallTime;
  /** Minutes that the local clock was ahead of UTC. */
  readonly offset: number;
  /** Pixels of the full image. */
  readonly width: number;
  readonly height: number;
  readonly sequence: number;
  readonly monitor: number;
}

export interface ShotFile {
  readonly shot: Shot;
  readonly isThumbnail: boolean;
}

/** Offsets east of Greenwich stand there with and without a sign. */
const NAME =
  /^(\d{4}-\d{2}-\d{2})_(\d{2})-(\d{2})-(\d{2})_([+-]?)(\d{2})-(\d{2})_(\d{1,5})_(\d{1,5})_(\d{1,12})_(\d{1,3})(\.thumbnail)?\.jpe?g$/i;

/** @param path a file name, with or without folders before it; undefined for what is no screenshot */
export function parseShotFile(path: string): ShotFile | undefined {
  const match = NAME.exec(path.split(/[\\/]/).at(-1) ?? '');
  if (match === null) return undefined;
  const [, date = '', hour, minute, second, sign, offsetHours, offsetMinutes, ...numbers] = match;
  const [width = 0, height = 0, sequence = 0, monitor = 0] = numbers.slice(0, 4).map(Number);
  const local = parseWallTime(`${date} ${hour}:${minute}:${second}`);
  const minutes = Number(offsetHours) * 60 + Number(offsetMinutes);
  if (local === undefined || minutes > 14 * 60 || Number(offsetMinutes) > 59) return undefined;
  if (width === 0 || height === 0 || width > 65_535 || height > 65_535 || monitor > 255) return undefined;
  const offset = sign === '-' ? -minutes : minutes;
  return { shot: { local, offset, width, height, sequence, monitor }, isThumbnail: numbers[4] !== undefined };
}

/** UTC seconds. */
export function instantOfShot({ local, offset }: Shot): number {
  return local - offset * 60;
}

import { createHash } from 'node:crypto';
import { formatDateTime, HOUR, MINUTE, parseWallTime, type WallTime } from '@deskside/core/dates';

/** One screenshot of one monitor, as described by its file name. Files: an image, a thumbnail, or both. */
export interface Shot {
  /** Local time. */
  readonly local: WallTime;
  /** UTC offset of the local time, in minutes. */
  readonly offset: number;
  /** Pixels of the full image. */
  readonly width: number;
  readonly height: number;
  readonly sequence: number;
  readonly monitor: number;
}

/** A screenshot that was found. */
export interface TakenShot extends Shot {
  /** UTC seconds. */
  readonly instant: number;
  readonly hasThumbnail: boolean;
}

/** A screenshot as listings report it. */
export interface ListedShot extends TakenShot {
  readonly reference: string;
}

/** Folders have thousands of screenshots, and listings few: only these get a reference. */
export function listed(shot: TakenShot): ListedShot {
  return { ...shot, reference: referenceOf(shot) };
}

/** By time, then monitor. */
export function byTime(a: TakenShot, b: TakenShot): number {
  return a.instant - b.instant || a.monitor - b.monitor || a.sequence - b.sequence;
}

/** Time of a screenshot: UTC or local seconds. */
export function timeOf({ instant, local }: TakenShot, timeBase: 'utc' | 'local'): number {
  return timeBase === 'utc' ? instant : local;
}

/** A screenshot with its files. */
export interface StoredShot extends ListedShot {
  readonly fullFile: string | undefined;
  readonly thumbnailFile: string | undefined;
}

const EXTENSION = /(\.thumbnail)?\.jpe?g$/i;

/** A file of a screenshot. Its image and its thumbnail have one stem. */
export interface ShotName {
  readonly stem: string;
  readonly isThumbnail: boolean;
}

/**
 * Reads the end of a name only: folders have a million files. A positive UTC offset has a plus sign in some names and no
 * sign in others; a stem has none.
 *
 * @returns undefined if it is not an image
 */
export function shotName(name: string): ShotName | undefined {
  const end = EXTENSION.exec(name);
  if (end === null) return undefined;
  return { stem: name.slice(0, end.index).replace('_+', '_'), isThumbnail: end[1] !== undefined };
}

/** In the year 2106: a reference has 32 bits for the time. */
const MAX_LOCAL = 0xff_ff_ff_ff;

const STEM =
  /^(\d{4}-\d{2}-\d{2})_(\d{2})-(\d{2})-(\d{2})_(-?)(\d{2})-(\d{2})_(\d{1,5})_(\d{1,5})_(\d{1,12})_(\d{1,3})$/;

/** @returns undefined if it is not the stem of a screenshot */
export function shotOfStem(stem: string): Shot | undefined {
  const match = STEM.exec(stem);
  if (match === null) return undefined;
  const [, date = '', hour, minute, second, sign, offsetHours, offsetMinutes, ...numbers] = match;
  const [width = 0, height = 0, sequence = 0, monitor = 0] = numbers.map(Number);
  const day = parseWallTime(date);
  const minutes = Number(offsetHours) * 60 + Number(offsetMinutes);
  if (day === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (minutes > 14 * 60 || Number(offsetMinutes) > 59) return undefined;
  if (width === 0 || height === 0 || width > 65_535 || height > 65_535 || monitor > 255) return undefined;
  const local = day + Number(hour) * HOUR + Number(minute) * MINUTE + Number(second);
  if (local < 0 || local > MAX_LOCAL) return undefined;
  return { local, offset: sign === '-' ? -minutes : minutes, width, height, sequence, monitor };
}

/** How the names of all screenshots of a second start. */
export function namePrefix(local: WallTime): string {
  return formatDateTime(local).replace('T', '_').replaceAll(':', '-');
}

/** The names without extension that ManicTime gives to a screenshot. */
export function stemsOf({ local, offset, width, height, sequence, monitor }: Shot): string[] {
  const [hours, minutes] = hoursAndMinutes(offset);
  const signs = offset < 0 ? ['-'] : ['', '+'];
  return signs.map((sign) =>
    [namePrefix(local), `${sign}${hours}-${minutes}`, width, height, sequence, monitor].join('_'),
  );
}

function hoursAndMinutes(offset: number): string[] {
  return [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
}

/** UTC seconds. */
export function instantOfShot({ local, offset }: Pick<Shot, 'local' | 'offset'>): number {
  return local - offset * 60;
}

const SHOT_BYTES = 4 + 2 + 2 + 2 + 6 + 1;
const CHECK_BYTES = 3;

/**
 * The opaque reference of a screenshot. It encodes the parts of the file name, so it is stable and needs no table.
 * It never becomes a path: files are found by listing folders and comparing references.
 */
export function referenceOf(shot: Shot): string {
  const bytes = Buffer.alloc(SHOT_BYTES);
  bytes.writeUInt32BE(shot.local, 0);
  bytes.writeInt16BE(shot.offset, 4);
  bytes.writeUInt16BE(shot.width, 6);
  bytes.writeUInt16BE(shot.height, 8);
  bytes.writeUIntBE(shot.sequence, 10, 6);
  bytes.writeUInt8(shot.monitor, 16);
  return Buffer.concat([bytes, check(bytes)]).toString('base64url');
}

/** Decodes a reference; undefined if it is not valid. */
export function readReference(reference: string): Shot | undefined {
  if (!/^[\w-]{27}$/.test(reference)) return undefined;
  const bytes = Buffer.from(reference, 'base64url');
  if (bytes.length !== SHOT_BYTES + CHECK_BYTES || bytes.toString('base64url') !== reference)
    return undefined;
  if (!check(bytes.subarray(0, SHOT_BYTES)).equals(bytes.subarray(SHOT_BYTES))) return undefined;
  return {
    local: bytes.readUInt32BE(0),
    offset: bytes.readInt16BE(4),
    width: bytes.readUInt16BE(6),
    height: bytes.readUInt16BE(8),
    sequence: bytes.readUIntBE(10, 6),
    monitor: bytes.readUInt8(16),
  };
}

/** Detects typing errors. It is not a signature: a forged reference gives no additional access. */
function check(bytes: Buffer): Buffer {
  return createHash('sha256').update('deskside shot').update(bytes).digest().subarray(0, CHECK_BYTES);
}

export function screenshotUri({ reference }: ListedShot): string {
  return `manictime://screenshot/${reference}`;
}

export function fullScreenshotUri({ reference }: StoredShot): string {
  return `manictime://screenshot/${reference}/full`;
}

/** `Screenshot 2025-01-15 10:30:45` */
export function shotLabel(shot: Shot): string {
  return `Screenshot ${displayTime(shot)}`;
}

export function screenshotResponse(shot: ListedShot) {
  const { reference, width, height, monitor, hasThumbnail } = shot;
  return {
    screenshotRef: reference,
    timestamp: timestampOf(shot),
    displayLocalTime: displayTime(shot),
    width,
    height,
    monitor,
    hasThumbnail,
    resourceUri: screenshotUri(shot),
  };
}

/** ISO 8601 with the UTC offset. */
export function timestampOf({ local, offset }: Shot): string {
  const [hours, minutes] = hoursAndMinutes(offset);
  return `${formatDateTime(local)}${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
}

function displayTime({ local }: Shot): string {
  return formatDateTime(local).replace('T', ' ');
}

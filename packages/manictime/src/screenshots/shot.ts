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
  if (minutes > MAX_OFFSET || Number(offsetMinutes) > 59 || width === 0 || height === 0) return undefined;
  const local = day + Number(hour) * HOUR + Number(minute) * MINUTE + Number(second);
  if (local < 0) return undefined;
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

/** Of UTC offsets in minutes, so that all numbers of a reference are positive. */
const MAX_OFFSET = 14 * 60;

/**
 * The opaque reference of a screenshot: the parts of the file name, so it is stable and needs no table. It never becomes a path
 * that a caller chooses.
 */
export function referenceOf({ local, offset, width, height, sequence, monitor }: Shot): string {
  const parts = [local, offset + MAX_OFFSET, width, height, sequence, monitor];
  return parts.map((part) => part.toString(36)).join('-');
}

/** Decodes a reference; undefined if it is not valid. */
export function readReference(reference: string): Shot | undefined {
  if (!/^[0-9a-z]{1,8}(?:-[0-9a-z]{1,8}){5}$/.test(reference)) return undefined;
  const [local = 0, offset = 0, ...sizes] = reference.split('-').map((part) => Number.parseInt(part, 36));
  const [width = 0, height = 0, sequence = 0, monitor = 0] = sizes;
  return { local, offset: offset - MAX_OFFSET, width, height, sequence, monitor };
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

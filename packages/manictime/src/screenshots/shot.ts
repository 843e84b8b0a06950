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
  readonly reference: string;
  /** UTC seconds. */
  readonly instant: number;
  readonly fullFile: string | undefined;
  readonly thumbnailFile: string | undefined;
}

/** By time, then monitor. */
export function byTime(a: TakenShot, b: TakenShot): number {
  return a.instant - b.instant || a.monitor - b.monitor || a.sequence - b.sequence;
}

/** A positive UTC offset has a plus sign in some names and no sign in others. */
const NAME =
  /^(\d{4}-\d{2}-\d{2})_(\d{2})-(\d{2})-(\d{2})_([+-]?)(\d{2})-(\d{2})_(\d{1,5})_(\d{1,5})_(\d{1,12})_(\d{1,3})(\.thumbnail)?\.jpe?g$/i;

/** @returns undefined if it is not the name of a screenshot */
export function shotOfName(name: string): { readonly shot: Shot; readonly isThumbnail: boolean } | undefined {
  const match = NAME.exec(name);
  if (match === null) return undefined;
  const [, date = '', hour, minute, second, sign, offsetHours, offsetMinutes, ...more] = match;
  const [width = 0, height = 0, sequence = 0, monitor = 0] = more.map(Number);
  const day = parseWallTime(date);
  const minutes = Number(offsetHours) * 60 + Number(offsetMinutes);
  if (day === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (minutes > MAX_OFFSET || Number(offsetMinutes) > 59 || width === 0 || height === 0) return undefined;
  const local = day + Number(hour) * HOUR + Number(minute) * MINUTE + Number(second);
  if (local < 0) return undefined;
  const shot = { local, offset: sign === '-' ? -minutes : minutes, width, height, sequence, monitor };
  return { shot, isThumbnail: more[4] !== undefined };
}

/** The name without extension that ManicTime gives to a screenshot. */
export function stemOf({ local, offset, width, height, sequence, monitor }: Shot): string {
  const time = formatDateTime(local).replace('T', '_').replaceAll(':', '-');
  const [hours, minutes] = hoursAndMinutes(offset);
  const zone = `${offset < 0 ? '-' : ''}${hours}-${minutes}`;
  return [time, zone, width, height, sequence, monitor].join('_');
}

function hoursAndMinutes(offset: number): string[] {
  return [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
}

/** Of UTC offsets in minutes, so that all numbers of a reference are positive. */
const MAX_OFFSET = 14 * 60;

/**
 * The opaque reference of a screenshot: the parts of the file name, so it is stable and needs no table. It never
 * becomes a path that a caller chooses.
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

export function screenshotUri({ reference }: TakenShot): string {
  return `manictime://screenshot/${reference}`;
}

export function fullScreenshotUri({ reference }: TakenShot): string {
  return `manictime://screenshot/${reference}/full`;
}

/** `Screenshot 2025-01-15 10:30:45` */
export function shotLabel(shot: Shot): string {
  return `Screenshot ${displayTime(shot)}`;
}

export function screenshotResponse(shot: TakenShot) {
  const { reference, width, height, monitor, thumbnailFile } = shot;
  return {
    screenshotRef: reference,
    timestamp: timestampOf(shot),
    displayLocalTime: displayTime(shot),
    width,
    height,
    monitor,
    hasThumbnail: thumbnailFile !== undefined,
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

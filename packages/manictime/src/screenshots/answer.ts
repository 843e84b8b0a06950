import { formatDateTime } from '../time/wall-clock.ts';
import type { Shot } from './file-name.ts';
import type { StoredShot } from './folder.ts';

export function screenshotUri({ reference }: StoredShot): string {
  return `manictime://screenshot/${reference}`;
}

export function fullScreenshotUri({ reference }: StoredShot): string {
  return `manictime://screenshot/${reference}/full`;
}

/** `Screenshot 2025-01-15 10:30:45` */
export function shotLabel(shot: Shot): string {
  return `Screenshot ${displayTime(shot)}`;
}

export function shotAnswer(shot: StoredShot) {
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

/** ISO-8601 with the offset of the time and place. */
export function timestampOf({ local, offset }: Shot): string {
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${formatDateTime(local)}${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
}

function displayTime({ local }: Shot): string {
  return formatDateTime(local).replace('T', ' ');
}

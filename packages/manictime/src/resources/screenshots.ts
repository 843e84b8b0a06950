import {
  type RequestContext,
  type ResourceBody,
  type ResourceTemplate,
  templateDefiner,
} from '@deskside/core';
import { UserError } from '@deskside/core/errors';
import type { ManicTime } from '../manictime.ts';
import { requireShot } from '../queries/records.ts';
import { readFullImage, readThumbnail } from '../screenshots/delivery.ts';
import { screenshotResponse } from '../screenshots/shot.ts';
import { errorJson } from './json-resources.ts';

const annotations = { audience: ['user' as const] };

const defineTemplate = templateDefiner<ManicTime>();

/** A screenshot on demand: its thumbnail, or the image if no thumbnail exists. */
export const screenshot: ResourceTemplate<ManicTime> = defineTemplate({
  uriTemplate: 'manictime://screenshot/{screenshotRef}',
  name: 'screenshot',
  title: 'Screenshot',
  description:
    'A listed screenshot as a thumbnail (the full image if no thumbnail exists), with its metadata.',
  mimeType: 'image/jpeg',
  annotations,
  read: ({ screenshotRef }, manictime, ctx, uri) => readShot(screenshotRef, manictime, ctx, uri, 'thumbnail'),
});

/** The full image, for screenshots that are too large for an answer. */
export const fullScreenshot: ResourceTemplate<ManicTime> = defineTemplate({
  uriTemplate: 'manictime://screenshot/{screenshotRef}/full',
  name: 'full-screenshot',
  title: 'Full-size screenshot',
  description: 'The full image of a listed screenshot.',
  mimeType: 'image/jpeg',
  annotations,
  read: ({ screenshotRef }, manictime, ctx, uri) => readShot(screenshotRef, manictime, ctx, uri, 'full'),
});

async function readShot(
  screenshotRef: string,
  manictime: ManicTime,
  ctx: RequestContext,
  uri: string,
  variant: 'thumbnail' | 'full',
): Promise<ResourceBody> {
  try {
    const shot = await requireShot(manictime.records, screenshotRef, ctx);
    const thumbnail = variant === 'thumbnail' ? await readThumbnail(manictime.screenshots, shot) : undefined;
    const bytes = thumbnail ?? (await readFullImage(manictime.screenshots, shot));
    const about = { ...screenshotResponse(shot), isThumbnail: thumbnail !== undefined };
    return [
      { uri, mimeType: 'image/jpeg', body: bytes, meta: { annotations } },
      { uri: `${uri}#metadata`, mimeType: 'application/json', body: JSON.stringify(about) },
    ];
  } catch (error) {
    if (!UserError.is(error)) throw error;
    return [{ uri, mimeType: 'application/json', body: errorJson(error, ctx.toolName) }];
  }
}

import type { ResourceTemplate } from '@deskside/core';
import { UserError } from '@deskside/core/errors';
import type { ManicTime } from '../manictime.ts';
import { requireShot } from '../queries/records.ts';
import { readFullImage, readThumbnail } from '../screenshots/delivery.ts';
import { screenshotResponse } from '../screenshots/shot.ts';
import { errorJson } from './json-resources.ts';

const annotations = { audience: ['user' as const] };

type Listing = Pick<ResourceTemplate<ManicTime>, 'uriTemplate' | 'name' | 'title' | 'description'>;

/** A screenshot, read on demand, with its metadata. */
function shotTemplate(variant: 'thumbnail' | 'full', listing: Listing): ResourceTemplate<ManicTime> {
  return {
    ...listing,
    mimeType: 'image/jpeg',
    annotations,
    async read({ screenshotRef = '' }, { records, screenshots }, ctx, uri) {
      try {
        const shot = await requireShot(records, screenshotRef, ctx);
        const thumbnail = variant === 'thumbnail' ? await readThumbnail(screenshots, shot) : undefined;
        const body = thumbnail ?? (await readFullImage(screenshots, shot));
        const about = { ...screenshotResponse(shot), isThumbnail: thumbnail !== undefined };
        return [
          { uri, mimeType: 'image/jpeg', body, meta: { annotations } },
          { uri: `${uri}#metadata`, mimeType: 'application/json', body: JSON.stringify(about) },
        ];
      } catch (error) {
        if (!UserError.is(error)) throw error;
        return [{ uri, mimeType: 'application/json', body: errorJson(error, ctx.toolName) }];
      }
    },
  };
}

/** The thumbnail, or the image if no thumbnail exists. */
export const screenshot: ResourceTemplate<ManicTime> = shotTemplate('thumbnail', {
  uriTemplate: 'manictime://screenshot/{screenshotRef}',
  name: 'screenshot',
  title: 'Screenshot',
  description:
    'A listed screenshot as a thumbnail (the full image if no thumbnail exists), with its metadata.',
});

/** The full image, for screenshots that are too large for an answer. */
export const fullScreenshot: ResourceTemplate<ManicTime> = shotTemplate('full', {
  uriTemplate: 'manictime://screenshot/{screenshotRef}/full',
  name: 'full-screenshot',
  title: 'Full-size screenshot',
  description: 'The full image of a listed screenshot.',
});

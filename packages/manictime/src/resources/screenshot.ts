import type { RequestContext, ResourceBody, ResourceTemplate, Variables } from '@deskside/core';
import type { ManicTime } from '../manictime.ts';
import { Problem } from '../problem.ts';
import { shotAnswer } from '../screenshots/answer.ts';
import { readFullImage, readThumbnail, requireShot } from '../screenshots/resolve.ts';
import { problemJson } from './json-resource.ts';

const annotations = { audience: ['user' as const] };

/** A screenshot on demand: its thumbnail where there is one. */
export const screenshot: ResourceTemplate<ManicTime> = {
  uriTemplate: 'manictime://screenshot/{screenshotRef}',
  name: 'screenshot',
  title: 'Screenshot',
  description: 'A listed screenshot: the thumbnail where there is one, and what is known of it.',
  mimeType: 'image/jpeg',
  annotations,
  read: (variables, manictime, ctx, uri) => readShot(variables, manictime, ctx, uri, 'thumbnail'),
};

/** The same in full size, for answers whose image is too large to travel inside. */
export const fullScreenshot: ResourceTemplate<ManicTime> = {
  uriTemplate: 'manictime://screenshot/{screenshotRef}/full',
  name: 'full-screenshot',
  title: 'Screenshot in full size',
  description: 'The full image of a listed screenshot.',
  mimeType: 'image/jpeg',
  annotations,
  read: (variables, manictime, ctx, uri) => readShot(variables, manictime, ctx, uri, 'full'),
};

async function readShot(
  { screenshotRef }: Variables,
  manictime: ManicTime,
  { signal, toolName }: RequestContext,
  uri: string,
  variant: 'thumbnail' | 'full',
): Promise<ResourceBody> {
  try {
    const shot = await requireShot(manictime, String(screenshotRef), toolName('list_screenshots'), signal);
    const thumbnail = variant === 'thumbnail' ? await readThumbnail(manictime, shot) : undefined;
    const bytes = thumbnail ?? (await readFullImage(manictime, shot));
    const about = { ...shotAnswer(shot), isThumbnail: thumbnail !== undefined };
    return [
      { uri, mimeType: 'image/jpeg', body: bytes, meta: { annotations } },
      { uri: `${uri}#metadata`, mimeType: 'application/json', body: JSON.stringify(about) },
    ];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return [{ uri, mimeType: 'application/json', body: problemJson(error) }];
  }
}

import { capped, type Content, reply, textBlock } from '@deskside/core';
import * as z from 'zod';
import { requireShot } from '../queries/records.ts';
import { cropImage, deliver, MAX_INLINE_BYTES, readFullImage, scaledToFit } from '../screenshots/delivery.ts';
import {
  fullScreenshotUri,
  screenshotResponse,
  screenshotUri,
  shotLabel,
  type TakenShot,
} from '../screenshots/shot.ts';
import { rangeFields, readRange } from './dates.ts';
import { defineManicTimeTool } from './define-tool.ts';
import {
  answerMetadata,
  CAPS,
  clamped,
  coordinateUnits,
  limit,
  metadataOf,
  MAX_RANGE_DAYS,
  screenshotRef,
} from './schemas.ts';

export const listScreenshots = defineManicTimeTool({
  name: 'list_screenshots',
  title: 'List screenshots',
  description: (tool) =>
    `Lists the screenshots of a range: times, sizes and references for ${tool('get_screenshot')}, no images.`,
  input: z.object({
    ...rangeFields,
    maxCount: limit(CAPS.screenshots, 'screenshots, spread over the range'),
    samplingStrategy: z
      .enum(['activity_transition', 'interval'])
      .default('activity_transition')
      .describe('If the range has more: at changes of the window, or evenly.'),
  }),
  output: z.object({
    screenshots: z.array(
      z.object({
        screenshotRef: z.string(),
        timestamp: z.string(),
        displayLocalTime: z.string(),
        width: z.int(),
        height: z.int(),
        monitor: z.int(),
        hasThumbnail: z.boolean(),
        resourceUri: z.string(),
      }),
    ),
    sampling: z.string().describe('The sampling strategy that was used.'),
    ...answerMetadata,
  }),

  async run(args, manictime, ctx) {
    const range = await readRange(args, manictime, MAX_RANGE_DAYS, ctx);
    const maxCount = clamped(CAPS.screenshots, args.maxCount);
    const request = { range, maxCount, strategy: args.samplingStrategy };
    const found = await manictime.records.query('screenshots', request, ctx);
    const { shots, sampling, total, hidden: hiddenShots } = found;
    const answer = {
      screenshots: shots.map(screenshotResponse),
      sampling,
      ...metadataOf(manictime, { ...found, hiddenShots }, capped(shots, maxCount, total).truncation),
    };
    return reply(answer, {
      more: shots.map((shot) => linkTo(shot, screenshotUri(shot))),
    });
  },
});

export const getScreenshot = defineManicTimeTool({
  name: 'get_screenshot',
  title: 'Get screenshot',
  description: (tool) =>
    `Returns a screenshot: a thumbnail for you, the full image for the person. To read small text, use ${tool('crop_screenshot')}.`,
  input: z.object({ screenshotRef }),

  async run(args, manictime, ctx) {
    const shot = await requireShot(manictime.records, args.screenshotRef, ctx);
    const { model, person, isThumbnail } = await deliver(manictime.screenshots, shot, ctx.signal);
    const { screenshotRef, timestamp, width, height, monitor } = screenshotResponse(shot);
    const about = { screenshotRef, timestamp, width, height, monitor, isThumbnail };
    const link = { ...linkTo(shot, fullScreenshotUri(shot)), annotations: { audience: ['user' as const] } };
    return [
      imageBlock(model, 'both'),
      ...(person === undefined ? [] : [person === 'link' ? link : imageBlock(person, 'person')]),
      textBlock(JSON.stringify(about)),
    ];
  },
});

function linkTo(shot: TakenShot, uri: string) {
  return { type: 'resource_link' as const, uri, name: shotLabel(shot), mimeType: 'image/jpeg' };
}

type Block = Exclude<Content, string>[number];

/** An image for the person and the model, or for the person only. */
function imageBlock(bytes: Uint8Array, audience: 'both' | 'person'): Block {
  return {
    type: 'image',
    data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
    mimeType: 'image/jpeg',
    annotations: { audience: audience === 'both' ? ['user', 'assistant'] : ['user'] },
  };
}

export const cropScreenshot = defineManicTimeTool({
  name: 'crop_screenshot',
  title: 'Crop screenshot',
  description: (tool) =>
    `Returns a region of a screenshot in full resolution. Find it on the thumbnail of ${tool('get_screenshot')}: the coordinates are the same.`,
  input: z.object({
    screenshotRef,
    x: z.number().describe('Left edge, in coordinateUnits.'),
    y: z.number().describe('Top edge, in coordinateUnits.'),
    width: z.number().describe('Width, in coordinateUnits.'),
    height: z.number().describe('Height, in coordinateUnits.'),
    coordinateUnits,
  }),

  async run({ screenshotRef, coordinateUnits: units, ...region }, manictime, ctx) {
    const { signal } = ctx;
    const shot = await requireShot(manictime.records, screenshotRef, ctx);
    const bytes = await readFullImage(manictime.screenshots, shot);
    const cropped = await cropImage(bytes, { ...region, units }, 'jpeg', signal);
    // Too large for an answer: scaled to the size that models use.
    const scaled = cropped.length <= MAX_INLINE_BYTES ? undefined : await scaledToFit(cropped, signal);
    const about = {
      screenshotRef,
      crop: { ...region, units },
      ...(scaled === undefined ? {} : { scaledTo: scaled.longestSide }),
      // The full image was deleted, so a crop cannot show more detail.
      ...(shot.fullFile === undefined ? { isThumbnail: true } : {}),
    };
    return [imageBlock(scaled?.bytes ?? cropped, 'both'), textBlock(JSON.stringify(about))];
  },
});

import { textBlock } from '@deskside/core';
import { z } from 'zod';
import { cropImage } from '../screenshots/crop-image.ts';
import { readFullImage, requireShot } from '../screenshots/resolve.ts';
import { INLINE_BYTES, scaledToFit } from '../screenshots/delivery.ts';
import { defineManicTimeTool, READ_ONLY } from './manictime-tool.ts';
import { coordinateUnits, imageBlock, screenshotRef } from './screenshot-fields.ts';

export const cropScreenshot = defineManicTimeTool({
  name: 'crop_screenshot',
  title: 'Crop screenshot',
  description: (tool) =>
    `A region of a screenshot in full resolution. Find it on the thumbnail of ${tool('get_screenshot')} first: coordinates are parts of the whole, so they are the same on both.`,
  hints: READ_ONLY,
  input: z.object({
    screenshotRef,
    x: z.number().describe('Left edge, from the left.'),
    y: z.number().describe('Top edge, from the top.'),
    width: z.number().describe('Width of the region.'),
    height: z.number().describe('Height of the region.'),
    coordinateUnits,
  }),

  async run({ screenshotRef, coordinateUnits: units, ...region }, manictime, { signal, toolName }) {
    const shot = await requireShot(manictime, screenshotRef, toolName('list_screenshots'), signal);
    const bytes = await readFullImage(manictime, shot);
    const { images } = manictime;
    const cropped = await cropImage(images, bytes, { ...region, units }, 'jpeg', signal);
    // What a host would not take inline is scaled to what a model sees anyway.
    const scaled = cropped.length <= INLINE_BYTES ? undefined : await scaledToFit(images, cropped, signal);
    const about = {
      screenshotRef,
      crop: { ...region, units },
      ...(scaled === undefined ? {} : { scaledTo: scaled.longestSide }),
      // The full image is gone; what cannot be read now never will be.
      ...(shot.fullFile === undefined ? { isThumbnail: true } : {}),
    };
    return [imageBlock(scaled?.bytes ?? cropped, 'both'), textBlock(JSON.stringify(about))];
  },
});

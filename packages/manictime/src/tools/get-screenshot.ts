import { textBlock } from '@deskside/core';
import { z } from 'zod';
import { fullScreenshotUri, shotLabel, timestampOf } from '../screenshots/answer.ts';
import { deliver } from '../screenshots/delivery.ts';
import { requireShot } from '../screenshots/resolve.ts';
import { defineManicTimeTool, READ_ONLY } from './manictime-tool.ts';
import { imageBlock, screenshotRef } from './screenshot-fields.ts';

export const getScreenshot = defineManicTimeTool({
  name: 'get_screenshot',
  title: 'Get screenshot',
  description: (tool) =>
    `One screenshot: a thumbnail that you and the person see, and the full image for the person alone. What you need to read closely, get with ${tool('crop_screenshot')}.`,
  hints: READ_ONLY,
  input: z.object({ screenshotRef }),

  async run(args, manictime, { signal, toolName }) {
    const shot = await requireShot(manictime, args.screenshotRef, toolName('list_screenshots'), signal);
    const { model, person, isThumbnail } = await deliver(manictime, shot, signal);
    const { width, height, monitor, reference } = shot;
    const about = {
      screenshotRef: reference,
      timestamp: timestampOf(shot),
      width,
      height,
      monitor,
      isThumbnail,
    };
    const link = {
      type: 'resource_link' as const,
      uri: fullScreenshotUri(shot),
      name: shotLabel(shot),
      mimeType: 'image/jpeg',
      annotations: { audience: ['user' as const] },
    };
    return [
      imageBlock(model, 'both'),
      ...(person === undefined ? [] : [person === 'link' ? link : imageBlock(person, 'person')]),
      textBlock(JSON.stringify(about)),
    ];
  },
});

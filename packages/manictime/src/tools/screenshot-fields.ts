import type { Content } from '@deskside/core';
import { z } from 'zod';
import { COORDINATE_UNITS } from '../screenshots/crop.ts';

export const screenshotRef = z.string().min(1).describe('Opaque reference of a screenshot, as listed.');

export const coordinateUnits = z
  .enum(COORDINATE_UNITS)
  .default('percent')
  .describe('percent: 0 to 100 of the image; normalized: 0 to 1.');

type Block = Exclude<Content, string>[number];

/** An image for the person and the model, or for the person alone. */
export function imageBlock(bytes: Uint8Array, audience: 'both' | 'person'): Block {
  return {
    type: 'image',
    data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
    mimeType: 'image/jpeg',
    annotations: { audience: audience === 'both' ? ['user', 'assistant'] : ['user'] },
  };
}

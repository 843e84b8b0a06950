import { capped, clampTo, diagnostics, diagnosticsOf, toolDefiner, truncation } from '@deskside/core';
import { z } from 'zod';

const MAX_PHOTOS = 500;

export const listPhotos = toolDefiner<readonly string[]>()({
  name: 'list_photos',
  title: 'List photos',
  description: 'Returns the names of photos.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({ limit: z.int().min(1).optional().describe(`Default 50, at most ${MAX_PHOTOS}.`) }),
  output: z.object({ photos: z.array(z.string()), truncation, diagnostics }),
  run({ limit }, names) {
    const found = capped(names, clampTo(MAX_PHOTOS, 50, limit));
    const none = { reasonCode: 'NoPhotos', remediationHint: 'Take a photo first.', degraded: false };
    return {
      photos: [...found.items],
      truncation: found.truncation,
      diagnostics: diagnosticsOf([names.length > 0 ? undefined : none]),
    };
  },
});

import {
  type Capped,
  capped,
  cappedToFit,
  clampTo,
  type DiagnosticNote,
  type Diagnostics,
  diagnostics,
  diagnosticsOf,
  toolDefiner,
  type Truncation,
  truncation,
} from '@deskside/core';
import { z } from 'zod';

export interface Photos {
  readonly names: readonly string[];
  readonly unreadable: number;
}

const MAX_PHOTOS = 500;

/** Why the answer lacks something; undefined if it lacks nothing. */
function noteOf({ names, unreadable }: Photos): DiagnosticNote | undefined {
  if (unreadable > 0)
    return { reasonCode: 'UnreadableFiles', remediationHint: 'Check the permissions.', degraded: true };
  if (names.length > 0) return undefined;
  return { reasonCode: 'NoPhotos', remediationHint: 'Take a photo first.', degraded: false };
}

export const listPhotos = toolDefiner<Photos>()({
  name: 'list_photos',
  title: 'List photos',
  description: 'Returns the names of photos.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({ limit: z.int().min(1).optional().describe(`Default 50, at most ${MAX_PHOTOS}.`) }),
  output: z.object({ photos: z.array(z.string()), truncation, diagnostics }),
  run({ limit }, photos) {
    const found: Capped<string> = cappedToFit(photos.names, clampTo(MAX_PHOTOS, 50, limit));
    const why: Diagnostics = diagnosticsOf([noteOf(photos)]);
    return { photos: [...found.items], truncation: found.truncation, diagnostics: why };
  },
});

/** Without the limit of bytes, and with a total that the database counted. */
export function firstOf(names: readonly string[], total: number): Truncation {
  return capped(names, 10, total).truncation;
}

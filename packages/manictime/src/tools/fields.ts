import { diagnostics, endDate, startDate, truncation } from '@deskside/core';
import { z } from 'zod';
import { SEGMENT_CAP, SEGMENT_DEFAULT } from './limits.ts';

export const range = { startDate, endDate };

/** Above the cap it is the cap, so that the schema states no maximum. */
export const limit = (fallback: number, cap: number, what: string) =>
  z
    .int()
    .min(1)
    .optional()
    .meta({
      description: `At most this many ${what}; never more than ${cap}.`,
      default: fallback,
    });

export const maxSegments = limit(SEGMENT_DEFAULT, SEGMENT_CAP, 'segments');

export const minDurationMinutes = z
  .number()
  .min(0)
  .default(0)
  .describe('Leave out segments with less active time. Totals stay those of the whole range.');

export const maxGapMinutes = z
  .number()
  .min(0)
  .default(2)
  .describe('Join segments of one application that are no further apart than this.');

/** What every answer with caps ends with. */
export const ending = { truncation, diagnostics };

const minutes = z.number().min(0);

export const topApplications = z.array(
  z.object({ name: z.string(), color: z.string().optional(), totalMinutes: minutes }),
);
export const topWebsites = z.array(z.object({ name: z.string(), totalMinutes: minutes }));

export { minutes };

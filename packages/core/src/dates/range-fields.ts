import { z } from 'zod';

const ISO = 'ISO-8601, for example 2026-11-21 or 2026-11-21T09:30:00';

/** A date alone is local midnight; a datetime with an offset is converted to local time. */
export const startDate = z
  .string()
  .describe(`Start of the range, inclusive. ${ISO}; a date alone is midnight.`);
export const endDate = z.string().describe(`End of the range, exclusive. ${ISO}; a date alone is midnight.`);

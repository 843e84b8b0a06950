import { diagnostics, endDate, startDate, truncation } from '@deskside/core';
import { z } from 'zod';
import { hasRules, type PrivacyRules } from '../analysis/privacy.ts';
import type { UsageTotal } from '../analysis/usage.ts';
import { minutesOf } from '../database/model/time.ts';
import { COORDINATE_UNITS } from '../screenshots/delivery.ts';
import { safeText } from './define-tool.ts';

// Defaults and caps. Those that the contract leaves open are chosen here.
export const DEFAULT_ROWS = 200;
export const MAX_ROWS = 5000;
export const DEFAULT_USAGE_ROWS = 1000;
export const MAX_USAGE_ROWS = 2000;
export const DEFAULT_SEGMENTS = 200;
export const MAX_SEGMENTS = 2000;
export const MAX_TOP_ITEMS = 50;
export const DEFAULT_WEBSITES = 50;
export const MAX_WEBSITES = 200;
export const DEFAULT_SCREENSHOTS = 20;
export const MAX_SCREENSHOTS = 100;
export const MAX_TIMELINES = 200;
/** For get_period_summary and get_website_usage. */
export const MAX_SUMMARY_DAYS = 31;
/** For all other ranges. */
export const MAX_RANGE_DAYS = 366;

export const rangeFields = { startDate, endDate };

/** An integer that is clamped to a cap at run time, so the schema has no `maximum`. */
export const limit = (fallback: number, cap: number, what: string) =>
  z
    .int()
    .min(1)
    .optional()
    .meta({
      description: `Maximum number of ${what} (cap: ${cap}).`,
      default: fallback,
    });

export const maxSegments = limit(DEFAULT_SEGMENTS, MAX_SEGMENTS, 'segments');

export const minDurationMinutes = z
  .number()
  .min(0)
  .default(0)
  .describe('Omit segments with fewer active minutes. Totals do not change.');

export const maxGapMinutes = z
  .number()
  .min(0)
  .default(2)
  .describe('Merge segments of one application at most this many minutes apart.');

/** The last fields of every answer with caps: what was cut off, and what was missing. */
export const resultMetadata = { truncation, diagnostics };

/** How much the person's privacy rules hide of an answer; only while rules exist. */
export const hidden = z.object({ activities: z.int(), screenshots: z.int() }).partial().optional();

export function hiddenOf(
  rules: PrivacyRules,
  activities: number,
  screenshots?: number,
): z.output<typeof hidden> {
  if (!hasRules(rules)) return undefined;
  return { activities, ...(screenshots === undefined ? {} : { screenshots }) };
}

export const minutes = z.number().min(0);

export const topApplications = z.array(
  z.object({ name: z.string(), color: z.string().optional(), totalMinutes: minutes }),
);
export const topWebsites = z.array(z.object({ name: z.string(), totalMinutes: minutes }));

export const screenshotRef = z.string().min(1).describe('Opaque reference of a listed screenshot.');

export const coordinateUnits = z
  .enum(COORDINATE_UNITS)
  .default('percent')
  .describe('percent: 0 to 100 of the image size; normalized: 0 to 1.');

export function topApplicationsOf(totals: readonly UsageTotal[]) {
  return totals.slice(0, MAX_TOP_ITEMS).map(({ item, seconds }) => ({
    name: safeText(item.name),
    color: item.color,
    totalMinutes: minutesOf(seconds),
  }));
}

export function topWebsitesOf(totals: readonly UsageTotal[]) {
  return totals
    .slice(0, MAX_TOP_ITEMS)
    .map(({ item, seconds }) => ({ name: safeText(item.name), totalMinutes: minutesOf(seconds) }));
}

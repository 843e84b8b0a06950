import {
  capped,
  type Capped,
  clampTo,
  diagnostics,
  diagnosticsOf,
  truncation,
  type Truncation,
} from '@deskside/core';
import { formatDateTime, type WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import * as z from 'zod';
import { hasRules, type PrivacyRules } from '../analysis/privacy.ts';
import type { ItemTotal } from '../analysis/group.ts';
import type { LocalRange } from '../database/model/activity.ts';
import { minutesOf } from '../database/model/time.ts';
import { COORDINATE_UNITS } from '../screenshots/delivery.ts';
import { countFitting, safeText } from '../database/model/text.ts';

/** How many a caller gets without asking, and at most. Those that the contract leaves open are chosen here. */
export const CAPS = {
  rows: [200, 5000],
  usageRows: [1000, 2000],
  segments: [200, 2000],
  websites: [50, 200],
  matches: [100, 1000],
  screenshots: [20, 100],
  sumGroups: [10, 500],
} as const;
type Caps = (typeof CAPS)[keyof typeof CAPS];

export const MAX_TOP_ITEMS = 50;
/** For get_period_summary and get_website_usage. */
export const MAX_SUMMARY_DAYS = 31;
/** For all other ranges. */
export const MAX_RANGE_DAYS = 366;

/** An integer that is clamped to a cap at run time, so the schema has no `maximum`. */
export const limit = ([fallback, cap]: Caps, what: string) =>
  z
    .int()
    .min(1)
    .optional()
    .meta({
      description: `Maximum ${what} (cap: ${cap}).`,
      default: fallback,
    });

export function clamped([fallback, cap]: Caps, requested: number | undefined): number {
  return clampTo(cap, fallback, requested);
}

/** An answer stays under 60 kB, unless the caller asks for more items than the default. */
export const MAX_LIST_BYTES = 48_000;
/** Hosts accept about 1 MB for a whole answer. */
export const MAX_REQUESTED_BYTES = 350_000;

/**
 * At most `limit` items, and at most 48 kB of JSON, or 350 kB if the caller asked for a number of items.
 *
 * @param total how many items exist @param used bytes of the answer that other lists need
 */
export function fitted<Item>(
  items: readonly Item[],
  limit: number,
  requested: number | undefined,
  total: number,
  used = 0,
): Capped<Item> {
  const maxBytes = (requested === undefined ? MAX_LIST_BYTES : MAX_REQUESTED_BYTES) - used;
  return capped(items, countFitting(items.slice(0, limit), maxBytes), total);
}

export const nextStartDate = z
  .string()
  .optional()
  .describe('Only if truncated: pass it as startDate to continue.');

/** The start of the first row that is left out; undefined if the same arguments would give the same answer again. */
export function continuation(next: WallTime | undefined, { from }: LocalRange): string | undefined {
  return next === undefined || next <= from ? undefined : formatDateTime(next);
}

/** The last fields of an answer that the rules do not change: what was cut off, and what was missing. */
export const resultMetadata = { truncation, diagnostics };

/** The last fields of all others: first how much the person's privacy rules hide, only while rules exist. */
export const answerMetadata = {
  hidden: z.object({ activities: z.int(), screenshots: z.int() }).partial().optional(),
  ...resultMetadata,
};

interface Counted {
  /** How many rows the rules conceal. */
  readonly concealed: number;
  readonly hiddenShots?: number;
  readonly notes: readonly (DiagnosticNote | undefined)[];
}

export function metadataOf(
  { privacy }: { readonly privacy: PrivacyRules },
  { concealed, hiddenShots, notes }: Counted,
  truncation: Truncation,
) {
  const screenshots = hiddenShots === undefined ? {} : { screenshots: hiddenShots };
  return {
    hidden: hasRules(privacy) ? { activities: concealed, ...screenshots } : undefined,
    truncation,
    diagnostics: diagnosticsOf(notes),
  };
}

export const minutes = z.number().min(0);

export const topApplications = z.array(
  z.object({
    name: z.string(),
    color: z.string().optional(),
    key: z.string().optional().describe('Only if two applications have this name.'),
    totalMinutes: minutes,
  }),
);
export const topWebsites = z.array(z.object({ name: z.string(), totalMinutes: minutes }));

/** Output fields: how many items the top lists leave out. */
export const omitted = {
  omittedApplications: z.int().optional().describe('The shortest ones.'),
  omittedWebsites: z.int().optional(),
};

/** Absent fields if the lists are complete. */
export function omittedOf(applications: number, websites: number) {
  return {
    ...(applications > 0 ? { omittedApplications: applications } : {}),
    ...(websites > 0 ? { omittedWebsites: websites } : {}),
  };
}

export const screenshotRef = z.string().min(1).describe('Reference of a listed screenshot.');

export const coordinateUnits = z
  .enum(COORDINATE_UNITS)
  .default('percent')
  .describe('percent: 0 to 100; normalized: 0 to 1.');

export function topApplicationsOf(totals: readonly ItemTotal[]) {
  const top = totals.slice(0, MAX_TOP_ITEMS);
  const names = Map.groupBy(top, ({ item }) => item.name);
  return top.map(({ item, seconds }) => ({
    name: safeText(item.name),
    color: item.color,
    key: (names.get(item.name) ?? []).length > 1 ? safeText(item.key) : undefined,
    totalMinutes: minutesOf(seconds),
  }));
}

export function topWebsitesOf(totals: readonly ItemTotal[]) {
  return totals
    .slice(0, MAX_TOP_ITEMS)
    .map(({ item, seconds }) => ({ name: safeText(item.name), totalMinutes: minutesOf(seconds) }));
}

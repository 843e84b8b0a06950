import * as z from 'zod';
import { NAME_KEYS, TIME_KEYS } from '../analysis/keys.ts';
import type { Sum } from '../analysis/sums.ts';
import { safeText } from '../database/model/text.ts';
import { minutesOf, timeText } from '../database/model/time.ts';
import { rangeFields, rangeOutput, readRange } from './dates.ts';
import { defineManicTimeTool } from './define-tool.ts';
import { answerMetadata, CAPS, clamped, fitted, limit, metadataOf, minutes } from './schemas.ts';

const MAX_SUM_DAYS = 3660;
const DETAILS = ['count', 'longest', 'first', 'last'] as const;
type Detail = (typeof DETAILS)[number];

const filters = (which: string) =>
  z.array(z.string()).max(20).default([]).describe(`Count only time that matches ${which}.`);

const facts = {
  totalMinutes: minutes,
  share: z.number().describe('Percent of activeMinutes; of a group: of the totalMinutes that it divides.'),
  count: z.int().optional().describe('Stretches without a gap over 2 minutes.'),
  longestMinutes: minutes.optional(),
  first: z.string().optional(),
  last: z.string().optional(),
};
const others = z.object({ groups: z.int(), totalMinutes: minutes }).optional();
const ungroupedMinutes = minutes.optional().describe('Without a title, site, file or tag.');
const group = z.object({ name: z.string(), ...facts });

export const sumTime = defineManicTimeTool({
  name: 'sum_time',
  title: 'Sum of time',
  description:
    'Adds up active time over hours or years: total, share, longest stretch, first and last time, by up to two groups. Use it for "how much", "how often", "which most", "when first or last", "compare".',
  input: z.object({
    ...rangeFields,
    groupBy: z
      .array(z.enum([...NAME_KEYS, ...TIME_KEYS]))
      .max(2)
      .default([])
      .describe(
        '["month","application"]: the applications of each month. hour is the hour of the day; weeks start on Monday; category: code, mail, web …',
      ),
    exactTitles: z.boolean().default(false).describe('Tell "(3) Inbox" from "Inbox".'),
    all: filters('all').describe(
      'Count only time that matches all of these: "FIELD:WORDS" with field application, title, site, file, tag, device, category or text (any of them), "weekday:monday,tuesday", "hour:9-17", "untagged".',
    ),
    any: filters('at least one'),
    none: filters('none'),
    top: limit(
      CAPS.sumGroups,
      'groups by name; others has the rest. With a second group, all times are listed',
    ),
    details: z.array(z.enum(DETAILS)).default([]).describe('What else each group says.'),
  }),
  output: z.object({
    ...rangeOutput,
    activeMinutes: minutes.describe('Of the range, before the filters.'),
    ...facts,
    groups: z.array(group.extend({ groups: z.array(group).optional(), others, ungroupedMinutes })).optional(),
    others,
    ungroupedMinutes,
    ...answerMetadata,
  }),

  async run({ top: requested, details, startDate, endDate, ...args }, { records, privacy, clock }, ctx) {
    const range = await readRange({ startDate, endDate }, { records, clock }, MAX_SUM_DAYS, ctx);
    const top = clamped(CAPS.sumGroups, requested);
    const request = {
      ...args,
      range,
      top,
      topGiven: requested !== undefined,
      withStretches: details.length > 0,
    };
    const { sum, activeSeconds, ...found } = await records.query('sumTime', request, ctx);
    const groups = (sum.groups ?? []).map((group) => groupResponse(group, sum.seconds, details));
    const total = groups.length + (sum.others?.groups ?? 0);
    const { items, truncation } = fitted(groups, groups.length, requested, total);
    return {
      ...range.dates,
      activeMinutes: minutesOf(activeSeconds),
      ...factsOf(sum, activeSeconds, DETAILS),
      ...(args.groupBy.length === 0 ? {} : { groups: [...items] }),
      ...restOf(sum),
      ...metadataOf({ privacy }, found, truncation),
    };
  },
});

function groupResponse(sum: Sum, whole: number, details: readonly Detail[]) {
  return {
    name: safeText(sum.name),
    ...factsOf(sum, whole, details),
    groups: sum.groups?.map((each) => ({
      name: safeText(each.name),
      ...factsOf(each, sum.seconds, details),
    })),
    ...restOf(sum),
  };
}

/** What the groups of a sum leave out. */
function restOf({ others, ungrouped = 0 }: Sum) {
  return {
    others:
      others === undefined ? undefined : { groups: others.groups, totalMinutes: minutesOf(others.seconds) },
    ungroupedMinutes: ungrouped === 0 ? undefined : minutesOf(ungrouped),
  };
}

function factsOf(
  { seconds, count, longest = 0, first, last }: Sum,
  whole: number,
  details: readonly Detail[],
) {
  const shown = <Value>(detail: Detail, value: Value) => (details.includes(detail) ? value : undefined);
  return {
    totalMinutes: minutesOf(seconds),
    share: whole === 0 ? 0 : Math.round((seconds / whole) * 1000) / 10,
    count: shown('count', count),
    longestMinutes: shown('longest', minutesOf(longest)),
    first: shown('first', timeText(first)),
    last: shown('last', timeText(last)),
  };
}

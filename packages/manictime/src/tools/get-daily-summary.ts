import { clampTo, readDate } from '@deskside/core';
import { z } from 'zod';
import type { ManicTime } from '../manictime.ts';
import { shown } from './shown.ts';
import { minutesOf } from '../time/minutes.ts';
import {
  DAY,
  formatDate,
  formatDateTime,
  HOUR,
  MINUTE,
  startOfDay,
  type WallTime,
} from '../time/wall-clock.ts';
import { readUsage } from '../usage/read-usage.ts';
import { grouped, totalsOf } from '../usage/usage.ts';
import { maxGapMinutes, maxSegments, minDurationMinutes, minutes } from './fields.ts';
import { SEGMENT_CAP, SEGMENT_DEFAULT, TOP_CAP } from './limits.ts';
import { defineManicTimeTool, READ_ONLY } from './manictime-tool.ts';
import { answerNarrative, narrativeShape } from './narrative-answer.ts';

export const getDailySummary = defineManicTimeTool({
  name: 'get_daily_summary',
  title: 'Daily summary',
  description:
    'One day: active time, segments, top applications and top websites, and on request the websites of each hour.',
  hints: READ_ONLY,
  input: z.object({
    date: z.string().describe('The day, ISO-8601, for example 2026-11-21.'),
    includeSegments: z
      .boolean()
      .default(true)
      .describe('False leaves the segments out; totals stay the same.'),
    minDurationMinutes,
    includeHourlyWebBreakdown: z
      .boolean()
      .default(false)
      .describe('Include the minutes on each website by hour.'),
    maxGapMinutes,
    maxSegments,
  }),
  output: z.object({
    ...narrativeShape,
    hourlyWebBreakdown: z
      .array(z.object({ hour: z.string(), websites: z.array(z.object({ name: z.string(), minutes })) }))
      .optional(),
  }),

  async run(args, manictime, { signal }) {
    const day = startOfDay(readDate(args.date, 'date'));
    const asked = { from: day, to: day + DAY, startDate: formatDate(day), endDate: formatDate(day + DAY) };
    const options = {
      includeWebsites: true,
      minDuration: args.minDurationMinutes * MINUTE,
      maxGap: args.maxGapMinutes * MINUTE,
      includeSegments: args.includeSegments,
      includeSummary: true,
      maxSegments: clampTo(SEGMENT_CAP, SEGMENT_DEFAULT, args.maxSegments),
    };
    const narrative = await answerNarrative(manictime, asked, options, signal);
    if (!args.includeHourlyWebBreakdown) return narrative;
    return { ...narrative, hourlyWebBreakdown: await websitesByHour(manictime, day, signal) };
  },
});

async function websitesByHour({ database, privacy }: ManicTime, day: WallTime, signal: AbortSignal) {
  const { rows } = await database.read(
    (snapshot) => readUsage(snapshot, 'websites', { from: day, to: day + DAY }, HOUR, privacy),
    signal,
  );
  if (rows.length === 0) return undefined;
  return [...grouped(rows, ({ period }) => period)]
    .toSorted(([a], [b]) => a - b)
    .map(([hour, ofHour]) => ({
      hour: formatDateTime(hour),
      websites: totalsOf(ofHour)
        .slice(0, TOP_CAP)
        .map(({ thing, seconds }) => ({ name: shown(thing.name), minutes: minutesOf(seconds) })),
    }));
}

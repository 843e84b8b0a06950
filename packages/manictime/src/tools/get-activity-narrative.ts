import { clampTo, readRangeArguments } from '@deskside/core';
import { z } from 'zod';
import { MINUTE } from '../time/wall-clock.ts';
import { maxGapMinutes, maxSegments, minDurationMinutes, range } from './fields.ts';
import { RANGE_DAYS, SEGMENT_CAP, SEGMENT_DEFAULT } from './limits.ts';
import { defineManicTimeTool, READ_ONLY } from './manictime-tool.ts';
import { answerNarrative, narrativeShape } from './narrative-answer.ts';

export const getActivityNarrative = defineManicTimeTool({
  name: 'get_activity_narrative',
  title: 'Activity narrative',
  description: (tool) =>
    `Answers "what did I do?" in one call: the active time of a range and its segments, with application, website, document, tags and a screenshot of each. Start here. For several days use ${tool('get_period_summary')} first.`,
  hints: READ_ONLY,
  input: z.object({
    ...range,
    includeWebsites: z.boolean().default(true).describe('False leaves websites out everywhere.'),
    minDurationMinutes,
    maxGapMinutes,
    includeSummary: z.boolean().default(false).describe('Include topApplications and topWebsites.'),
    maxSegments,
  }),
  output: z.object(narrativeShape),

  run(args, manictime, { signal }) {
    const asked = readRangeArguments(args.startDate, args.endDate, { mostDays: RANGE_DAYS });
    const options = {
      includeWebsites: args.includeWebsites,
      minDuration: args.minDurationMinutes * MINUTE,
      maxGap: args.maxGapMinutes * MINUTE,
      includeSegments: true,
      includeSummary: args.includeSummary,
      maxSegments: clampTo(SEGMENT_CAP, SEGMENT_DEFAULT, args.maxSegments),
    };
    return answerNarrative(manictime, asked, options, signal);
  },
});

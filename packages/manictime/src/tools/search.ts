import { formatDateTime } from '@deskside/core/dates';
import { UserError } from '@deskside/core/errors';
import * as z from 'zod';
import type { Match, SearchTerms } from '../analysis/search.ts';
import { minutesOf } from '../database/model/time.ts';
import { rangeFields, rangeOutput, readRange } from './dates.ts';
import { safeText } from '../database/model/text.ts';
import { defineManicTimeTool } from './define-tool.ts';
import {
  answerMetadata,
  CAPS,
  clamped,
  fitted,
  limit,
  MAX_RANGE_DAYS,
  metadataOf,
  minutes,
} from './schemas.ts';

const term = (where: string) => z.string().optional().describe(`Words in ${where}.`);

export const searchActivities = defineManicTimeTool({
  name: 'search_activities',
  title: 'Search activities',
  description:
    'Finds when the person worked on something: active time whose application, window title, document, website or tag contains words, with totals per day.',
  input: z.object({
    ...rangeFields,
    text: z
      .string()
      .optional()
      .describe('Words in any field below or in an address, in any order; "…" for a phrase.'),
    application: term('the application or its executable'),
    title: term('the window title'),
    document: term('the path of the document'),
    website: term('the website or the address'),
    tag: term('a tag'),
    limit: limit(CAPS.matches, 'activities, earliest first'),
    cursor: z.string().optional().describe('nextCursor of the last answer.'),
  }),
  output: z.object({
    ...rangeOutput,
    totalMinutes: minutes,
    days: z.array(z.object({ date: z.string(), totalMinutes: minutes, activities: z.int() })),
    activities: z.array(
      z.object({
        start: z.string(),
        end: z.string(),
        durationMinutes: minutes,
        application: z.string().optional(),
        title: z.string().optional(),
        document: z.string().optional(),
        website: z.string().optional(),
        tags: z.array(z.string()).optional(),
      }),
    ),
    nextCursor: z.string().optional(),
    ...answerMetadata,
  }),

  async run({ startDate, endDate, limit: requested, cursor, ...given }, { records, privacy, clock }, ctx) {
    const range = await readRange({ startDate, endDate }, { records, clock }, MAX_RANGE_DAYS, ctx);
    const terms = termsOf(given);
    const offset = offsetOf(cursor);
    const limit = clamped(CAPS.matches, requested);
    const found = await records.query('search', { range, terms, offset, limit }, ctx);
    const days = found.days.map(({ date, seconds, matches }) => ({
      date,
      totalMinutes: minutesOf(seconds),
      activities: matches,
    }));
    const bytes = Buffer.byteLength(JSON.stringify(days));
    const matches = found.matches.map(matchResponse);
    const { items, truncation } = fitted(matches, limit, requested, found.total, bytes);
    const next = offset + items.length;
    return {
      ...range.dates,
      totalMinutes: minutesOf(found.seconds),
      days,
      activities: [...items],
      nextCursor: next < found.total ? String(next) : undefined,
      ...metadataOf({ privacy }, found, truncation),
    };
  },
});

function termsOf(given: SearchTerms): SearchTerms {
  const terms = Object.entries(given).filter(([, text]) => text !== undefined && text.trim() !== '');
  if (terms.length > 0) return Object.fromEntries(terms);
  throw new UserError({
    code: 'INVALID_ARGUMENT',
    error: 'No text to search for.',
    hint: 'Pass text, application, title, document, website or tag, for example text="invoice".',
  });
}

function offsetOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw new UserError({
    code: 'INVALID_ARGUMENT',
    error: 'cursor is not valid.',
    hint: 'Pass nextCursor of the answer before with the same arguments, or omit it for the first page.',
  });
}

function matchResponse(match: Match) {
  const { localStart, localEnd, seconds, application, title, document, website, tags } = match;
  return {
    start: formatDateTime(localStart),
    end: formatDateTime(localEnd),
    durationMinutes: minutesOf(seconds),
    application: safeText(application),
    title: safeText(title),
    document: safeText(document),
    website: safeText(website),
    tags: tags.length === 0 ? undefined : tags.map((tag) => safeText(tag)),
  };
}

import { cappedToFit, type DateRange, diagnosticsOf } from '@deskside/core';
import { z } from 'zod';
import type { ManicTime } from '../manictime.ts';
import { type IllustratedSegment, illustrate } from '../narrative/illustrated.ts';
import { type NarrativeOptions, tellNarrative } from '../narrative/narrative.ts';
import type { Suggestion } from '../narrative/suggestions.ts';
import { shown, shownIf } from './shown.ts';
import { minutesOf } from '../time/minutes.ts';
import { formatDateTime } from '../time/wall-clock.ts';
import { topApplicationsOf, topWebsitesOf } from './answers.ts';
import { ending, minutes, topApplications, topWebsites } from './fields.ts';

export const narrativeShape = {
  startDate: z.string(),
  endDate: z.string(),
  totalActiveMinutes: minutes.describe('Of the whole range, whatever was filtered or cut off.'),
  segments: z.array(
    z.object({
      start: z.string(),
      end: z.string(),
      durationMinutes: minutes.describe('Active time; away, locked and untracked time is not counted.'),
      application: z.string().optional(),
      document: z.string().optional(),
      website: z.string().optional(),
      tags: z.array(z.string()).optional(),
      screenshotRef: z.string().optional(),
    }),
  ),
  topApplications,
  topWebsites: topWebsites.optional(),
  suggestedScreenshots: z
    .array(
      z.object({
        screenshotRef: z.string(),
        timestamp: z.string(),
        application: z.string().optional(),
        hint: z.enum(['long session', 'app transition']),
      }),
    )
    .optional(),
  ...ending,
};

export async function answerNarrative(
  manictime: ManicTime,
  asked: DateRange,
  options: NarrativeOptions,
  signal: AbortSignal,
) {
  const { database, privacy } = manictime;
  const { told, axis } = await database.read(
    (snapshot) => ({ told: tellNarrative(snapshot, asked, privacy, options), axis: snapshot.axis }),
    signal,
  );
  const { segments, suggestions, notes } = await illustrate(told, axis, manictime);
  const { items, truncation } = cappedToFit(
    segments.map(segmentAnswer),
    options.maxSegments,
    told.segmentCount,
  );
  const { includeSummary, includeWebsites } = options;
  return {
    startDate: asked.startDate,
    endDate: asked.endDate,
    totalActiveMinutes: minutesOf(told.totalSeconds),
    segments: [...items],
    topApplications: topApplicationsOf(told.topApplications),
    topWebsites: includeSummary && includeWebsites ? topWebsitesOf(told.topWebsites) : undefined,
    suggestedScreenshots: suggestions.length === 0 ? undefined : suggestions.map(suggestionAnswer),
    truncation,
    diagnostics: diagnosticsOf([...told.notes, ...notes]),
  };
}

function segmentAnswer(segment: IllustratedSegment) {
  const { localStart, localEnd, seconds, application, document, website, tags, screenshotRef } = segment;
  return {
    start: formatDateTime(localStart),
    end: formatDateTime(localEnd),
    durationMinutes: minutesOf(seconds),
    application: shownIf(application),
    document: shownIf(document),
    website: shownIf(website),
    tags: tags.length === 0 ? undefined : tags.map(shown),
    screenshotRef,
  };
}

function suggestionAnswer({ screenshotRef, localStart, application, hint }: Suggestion) {
  return { screenshotRef, timestamp: formatDateTime(localStart), application: shownIf(application), hint };
}

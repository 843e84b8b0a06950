import { capped, clampTo, diagnosticsOf, readRangeArguments, reply } from '@deskside/core';
import { z } from 'zod';
import { Problem } from '../problem.ts';
import { hasRules } from '../privacy/rules.ts';
import { screenshotUri, shotAnswer, shotLabel } from '../screenshots/answer.ts';
import { sample, type SamplingStrategy } from '../screenshots/sampling.ts';
import { whyNoShots } from '../screenshots/notes.ts';
import { withoutHidden } from '../screenshots/shown-shots.ts';
import { type ScreenTimes, screenTimes } from '../screenshots/transitions.ts';
import type { ManicTime } from '../manictime.ts';
import type { LocalRange } from '../timeline/activity.ts';
import { ending, limit, range } from './fields.ts';
import { RANGE_DAYS, SCREENSHOT_CAP, SCREENSHOT_DEFAULT } from './limits.ts';
import { defineManicTimeTool, READ_ONLY } from './manictime-tool.ts';

export const listScreenshots = defineManicTimeTool({
  name: 'list_screenshots',
  title: 'List screenshots',
  description: (tool) =>
    `Which screenshots there are in a range: times, sizes, references, no images. Start here, then ${tool('get_screenshot')}. Datetimes narrow it to minutes.`,
  hints: READ_ONLY,
  input: z.object({
    ...range,
    maxCount: limit(SCREENSHOT_DEFAULT, SCREENSHOT_CAP, 'screenshots, spread over the range'),
    samplingStrategy: z
      .enum(['activity_transition', 'interval'])
      .default('activity_transition')
      .describe('Which to pick where there are more: those at changes of window, or at even intervals.'),
  }),
  output: z.object({
    screenshots: z.array(
      z.object({
        screenshotRef: z.string(),
        timestamp: z.string(),
        displayLocalTime: z.string(),
        width: z.int(),
        height: z.int(),
        monitor: z.int(),
        hasThumbnail: z.boolean(),
        resourceUri: z.string(),
      }),
    ),
    sampling: z.string().describe('The sampling that was used.'),
    ...ending,
  }),

  async run(args, manictime, { signal }) {
    const asked = readRangeArguments(args.startDate, args.endDate, { mostDays: RANGE_DAYS });
    const most = clampTo(SCREENSHOT_CAP, SCREENSHOT_DEFAULT, args.maxCount);
    const taken = await manictime.screenshots.shotsIn(asked).catch(() => []);
    const times = await timesFor(manictime, asked, taken.length > most, args.samplingStrategy, signal);
    const shots = withoutHidden(taken, times.hidden, times.axis);
    const { shots: picked, sampling } = sample(shots, most, args.samplingStrategy, times.transitions);
    const reason =
      picked.length === 0 ? await whyNoShots(manictime.screenshots, asked, taken.length > 0) : undefined;
    const answer = {
      screenshots: picked.map(shotAnswer),
      sampling,
      truncation: capped(picked, most, shots.length).truncation,
      diagnostics: diagnosticsOf([reason]),
    };
    return reply(answer, {
      more: picked.map((shot) => ({
        type: 'resource_link' as const,
        uri: screenshotUri(shot),
        name: shotLabel(shot),
        mimeType: 'image/jpeg',
      })),
    });
  },
});

const nothingKnown: ScreenTimes = { axis: 'utc', transitions: [], hidden: [] };

/**
 * The database is asked only where it matters: which to pick, and which are private. Without it the listing
 * goes on, unless something private could show.
 */
async function timesFor(
  { database, privacy }: ManicTime,
  range: LocalRange,
  tooMany: boolean,
  strategy: SamplingStrategy,
  signal: AbortSignal,
): Promise<ScreenTimes> {
  if (!hasRules(privacy) && !(tooMany && strategy === 'activity_transition')) return nothingKnown;
  try {
    return await database.read((snapshot) => screenTimes(snapshot, range, privacy), signal);
  } catch (error) {
    if (!(error instanceof Problem) || hasRules(privacy)) throw error;
    return nothingKnown;
  }
}

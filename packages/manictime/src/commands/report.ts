import { open, readFile } from 'node:fs/promises';
import { defineCommand, integerField } from '@deskside/core/program';
import { DAY } from '@deskside/core/dates';
import { errnoOf, StartError, UserError } from '@deskside/core/errors';
import * as z from 'zod';
import { titleOf } from '../analysis/day-picture.ts';
import type { LocalRange } from '../database/model/activity.ts';
import { type ManicTime, openManicTime } from '../manictime.ts';
import { manictimeOptions, originOf } from '../options.ts';
import { isCompleteJpeg } from '../screenshots/images/codec.ts';
import { shotLabel } from '../screenshots/shot.ts';
import { readDay, weekOf } from '../tools/dates.ts';
import { type PageShot, REPORT_MARK, reportPage } from '../view/page.ts';

const flags = {
  date: z.string().default('today').meta({
    placeholder: 'DATE',
    description: 'The day: 2026-11-21, today, yesterday, or --date=-7d for seven days ago.',
  }),
  week: z
    .boolean()
    .default(false)
    .meta({ description: 'Report the week of that day, from Monday, without days after today.' }),
  out: z.string().min(1).optional().meta({
    placeholder: 'FILE',
    description:
      'The HTML file to write (required), or - for standard output. Only an earlier report is replaced.',
  }),
  screenshots: integerField(0, 100).default(0).meta({
    placeholder: 'COUNT',
    description: 'How many screenshots to include as thumbnails, spread over the time.',
  }),
};

/** Writes a day or a week as one HTML file: lanes, top lists, and a table. */
export const report = defineCommand({
  options: manictimeOptions,
  flags,
  examples: ['deskside-manictime report --date yesterday --out day.html'],
  async run({ date, week, out, screenshots: count, ...settings }, { env, output, print, note }) {
    if (out === undefined) throw new StartError('Missing --out. Example: --out day.html');
    await using manictime = openManicTime(settings, originOf(settings, env));
    const day = await readDay(date, '--date', manictime);
    const range = week ? weekOf(day, manictime.clock) : { from: day, to: day + DAY };
    const picture = await manictime.records.query('picture', { range });
    const shots = await shotsOf(manictime, range, count);
    const html = reportPage(picture, { title: titleOf(range), shots });
    const isPrinted = out === '-';
    if (isPrinted) output.write(html);
    else await write(out, html);
    const say = isPrinted ? note : print;
    say(`Wrote ${isPrinted ? 'standard output' : out}: ${titleOf(range)}, ${shots.length} screenshots.`);
    for (const { remediationHint } of picture.notes) say(remediationHint);
  },
});

async function shotsOf(
  { records, screenshots }: ManicTime,
  range: LocalRange,
  maxCount: number,
): Promise<PageShot[]> {
  if (maxCount === 0) return [];
  const listed = await records.query('screenshots', { range, maxCount, strategy: 'activity_transition' });
  const shots: PageShot[] = [];
  for (const { reference } of listed.shots) {
    // What the days around this one hide is known only now.
    const shot = await records.query('screenshot', { reference });
    if (shot === undefined) continue;
    // ManicTime may delete or write a file meanwhile.
    const jpeg = await screenshots.read(shot.thumbnailFile ?? shot.fullFile ?? '').catch((error: unknown) => {
      if (!UserError.is(error)) throw error;
      return new Uint8Array();
    });
    if (isCompleteJpeg(jpeg)) shots.push({ label: shotLabel(shot), jpeg });
  }
  return shots;
}

/** Private data: only this user may read it. */
async function write(file: string, html: string): Promise<void> {
  try {
    const existing = await readFile(file, 'utf8').catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') throw error;
      return REPORT_MARK;
    });
    // A report whose writing ended too early is empty.
    if (existing !== '' && !existing.startsWith(REPORT_MARK))
      throw new StartError(`${file} exists and is not a report. Pass another name with --out.`);
    await using handle = await open(file, 'w', 0o600);
    await handle.writeFile(html);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    throw new StartError(`cannot write ${file} (${errnoOf(error) ?? ''}). Pass a writable file with --out.`);
  }
}

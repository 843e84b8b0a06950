import type { Note } from '../timeline/note.ts';
import type { LocalRange } from '../timeline/activity.ts';
import { parseWallTime } from '../time/wall-clock.ts';
import type { ScreenshotFolder } from './folder.ts';

const absent: Note = {
  degraded: true,
  reasonCode: 'ScreenshotDirectoryAbsent',
  remediationHint:
    'There is no screenshots folder. Ask the person to switch screenshots on in ManicTime, or to set MANICTIME_SCREENSHOTS_DIR where they are kept elsewhere.',
};

const empty: Note = {
  degraded: true,
  reasonCode: 'ScreenshotDirectoryEmpty',
  remediationHint:
    'The screenshots folder is empty: ManicTime deletes screenshots after some days. Review its settings for taking and keeping them.',
};

const unreadable: Note = {
  degraded: true,
  reasonCode: 'ScreenshotsUnreadable',
  remediationHint: 'The screenshots folder cannot be read; check that this account may read it.',
};

const allPrivate: Note = {
  degraded: false,
  reasonCode: 'ScreenshotsPrivate',
  remediationHint: 'All screenshots of this range show what the person keeps private (--exclude, --redact).',
};

/** Why there is none to list. */
export async function whyNoShots(
  folder: ScreenshotFolder,
  range: LocalRange,
  hidden: boolean,
): Promise<Note> {
  const state = await folder.state();
  if (state === 'absent') return absent;
  if (state === 'empty') return empty;
  if (state === 'unreadable') return unreadable;
  if (hidden) return allPrivate;
  const days = await folder.days();
  const [first, last] = [days[0], days.at(-1)];
  const known = first === undefined ? '' : `Screenshots reach from ${first} to ${last}. `;
  const expired = first !== undefined && range.to <= (parseWallTime(first) ?? 0);
  return {
    degraded: false,
    reasonCode: expired ? 'Retention' : 'NoScreenshotsInRange',
    remediationHint: expired
      ? `${known}Older ones were deleted: ManicTime keeps them for the days its settings say.`
      : `${known}None was taken in this range: the computer was away or off, or taking them was paused.`,
  };
}

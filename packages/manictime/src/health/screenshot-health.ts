import type { ScreenshotFolder } from '../screenshots/folder.ts';
import { type Issue, warning } from './issues.ts';

export interface ScreenshotHealth {
  readonly status: 'Available' | 'Unavailable' | 'Unknown';
  readonly reason?: 'CaptureDisabled' | 'Retention' | 'Unreadable';
  readonly remediationHint?: string;
  readonly firstDay?: string;
  readonly lastDay?: string;
}

const SETTINGS = 'Review the settings for taking and keeping screenshots in ManicTime.';

export async function screenshotHealth(
  folder: ScreenshotFolder,
): Promise<{ readonly health: ScreenshotHealth; readonly issues: readonly Issue[] }> {
  if ((await folder.root()) === undefined) return { health: { status: 'Unknown' }, issues: [] };
  switch (await folder.state()) {
    case 'present': {
      const days = await folder.days();
      const [firstDay, lastDay] = [days[0], days.at(-1)];
      const span = firstDay === undefined || lastDay === undefined ? {} : { firstDay, lastDay };
      return { health: { status: 'Available', ...span }, issues: [] };
    }
    case 'absent':
      return unavailable(
        'CaptureDisabled',
        'ScreenshotDirectoryAbsent',
        'There is no screenshots folder.',
        SETTINGS,
      );
    case 'empty':
      return unavailable(
        'Retention',
        'ScreenshotDirectoryEmpty',
        'The screenshots folder is empty.',
        SETTINGS,
      );
    case 'unreadable':
      return unavailable(
        'Unreadable',
        'ScreenshotDirectoryUnreadable',
        'The screenshots folder cannot be read.',
        'Check that this account may read it.',
      );
  }
}

function unavailable(
  reason: NonNullable<ScreenshotHealth['reason']>,
  code: string,
  message: string,
  remediationHint: string,
) {
  return {
    health: { status: 'Unavailable' as const, reason, remediationHint },
    issues: [warning(code, message, remediationHint)],
  };
}

import type { Log } from '@deskside/core';
import { type Clock, systemClock } from '@deskside/core/base';
import { withDefaults } from '@deskside/core/program';
import { errnoOf, UserError } from '@deskside/core/errors';
import { hasRules, type PrivacyRules, privacyRules } from './analysis/privacy.ts';
import type { DemoFolder } from './demo/demo-folder.ts';
import { type DataFolder, type DataLocation, locateData, screenshotsOf } from './queries/installation.ts';
import { type ManicTimeOptions, manictimeOptions, type Origin } from './options.ts';
import { openRecords, type Records } from './queries/records.ts';
import { REPORTED_DAYS } from './queries/rule-report.ts';
import { ScreenshotFolder } from './screenshots/folder.ts';

/** What the tools use. Nothing is opened before the first call. Dispose it to close files and remove demo data. */
export interface ManicTime extends AsyncDisposable {
  location(): Promise<DataLocation>;
  /** @internal Its types name better-sqlite3's, which users do not install. */
  readonly records: Records;
  readonly screenshots: ScreenshotFolder;
  /** Folder that screenshots may be saved to, in addition to the client's roots. */
  readonly saveDir: string | undefined;
  readonly privacy: PrivacyRules;
  readonly clock: Clock;
}

/** What only programs choose that use manictime as a library. */
interface ManicTimeSurroundings extends Origin {
  /** For dates such as `today`. Default: this machine's clock. */
  readonly clock?: Clock;
}

/**
 * Opens ManicTime's data, or demo data, which is removed on disposal. Data that does not exist is reported by the
 * calls, not here.
 */
export function openManicTime(
  given: ManicTimeOptions = {},
  { clock = systemClock, ...origin }: ManicTimeSurroundings = {},
): ManicTime {
  const options = { ...withDefaults(manictimeOptions, given), ...origin };
  let found: Promise<DataFolder> | undefined;
  let demo: DemoFolder | undefined;
  const demoFolder = async () => {
    demo ??= new (await import('./demo/demo-folder.ts')).DemoFolder(clock);
    return demo.path();
  };
  const location = async () => {
    found ??= locateData({ ...options, demoFolder: options.demo ? demoFolder : undefined });
    const result = await found.catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    // The next call looks again: ManicTime may be installed meanwhile, and demo data go on.
    if (result.folder === undefined || result.source === 'Demo') found = undefined;
    return { ...result, screenshots: screenshotsOf(result, options) };
  };
  const records = openRecords({ ...options, locate: location, clock });
  return {
    location,
    records,
    screenshots: new ScreenshotFolder(async () => (await location()).screenshots),
    saveDir: options.saveDir,
    privacy: privacyRules(options),
    clock,
    async [Symbol.asyncDispose]() {
      await records.close();
      // The call that looked for the folder got the error.
      await found?.catch(() => undefined);
      await demo?.[Symbol.asyncDispose]();
    },
  };
}

/** Logs each privacy rule that hides nothing: it is probably mistyped. */
export async function logUnusedRules(manictime: ManicTime, log: Log): Promise<void> {
  const { records, privacy } = manictime;
  if (!hasRules(privacy)) return;
  try {
    for (const rule of await records.query('unusedRules', undefined))
      log.warn(`privacy rule matches nothing in the last ${REPORTED_DAYS} days with data`, { rule });
  } catch (error) {
    // Calls report data that cannot be read.
    if (!UserError.is(error) && errnoOf(error) === undefined)
      log.error('privacy rules not checked', { error });
  }
}

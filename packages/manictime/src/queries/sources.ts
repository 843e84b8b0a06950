import type { Categorizer } from '../analysis/categories.ts';
import type { PrivacyRules } from '../analysis/privacy.ts';
import type { Checkpoint, Snapshot } from '../database/snapshot.ts';
import type { ScreenshotFolder } from '../screenshots/folder.ts';

/** What a query reads. It blocks its thread, so queries run in another thread. */
export interface QuerySources {
  /** @throws UserError if the database cannot be read */
  read<T>(work: (snapshot: Snapshot) => T): Promise<T>;
  readonly screenshots: ScreenshotFolder;
  readonly rules: PrivacyRules;
  readonly categoryOf: Categorizer;
  /** Called again and again with the part that is done, from 0 to 1. It ends the query by throwing an error. */
  readonly checkpoint: Checkpoint;
}

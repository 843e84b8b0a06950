import { HOUR } from '@deskside/core/dates';
import { errnoOf, UserError } from '@deskside/core/errors';
import { hasRules } from '../analysis/privacy.ts';
import type { LocalRange } from '../database/model/activity.ts';
import { notYetAttributable } from '../database/model/notes.ts';
import {
  loadScreenRecord,
  noScreenshotsNote,
  sample,
  type SamplingStrategy,
  type ScreenRecord,
  screenshotsUnreadable,
  visibleShots,
} from '../screenshots/selection.ts';
import { readReference, type TakenShot } from '../screenshots/shot.ts';
import type { QuerySources } from './sources.ts';

export interface ListRequest {
  readonly range: LocalRange;
  readonly maxCount: number;
  readonly strategy: SamplingStrategy;
}

export async function listShots(sources: QuerySources, { range, maxCount, strategy }: ListRequest) {
  const { screenshots } = sources;
  const read = await screenshots.shotsIn(range, sources.checkpoint).catch(undefinedIfUnreadable);
  const taken = read ?? [];
  const record = await recordFor(
    sources,
    range,
    taken.length > maxCount && strategy === 'activity_transition',
  );
  const { shots, hidden, unattributed } = visibleShots(taken, record.screen, record.timeBase);
  const picked = sample(shots, maxCount, strategy, record.transitions);
  return {
    ...picked,
    total: shots.length,
    concealed: record.concealed,
    hidden,
    notes: [
      ...(read === undefined ? [screenshotsUnreadable] : []),
      ...(unattributed > 0 ? [notYetAttributable] : []),
      ...(picked.shots.length === 0 ? [await noScreenshotsNote(screenshots, range, taken.length > 0)] : []),
    ],
  };
}

export function undefinedIfUnreadable(error: unknown): undefined {
  if (errnoOf(error) === undefined) throw error;
}

const noRecord: ScreenRecord = { timeBase: 'utc', transitions: [], screen: undefined, concealed: 0 };

/**
 * Reads the database only if it is needed to choose screenshots or to hide private ones. If it cannot be read, the
 * list is built without it, unless privacy rules exist.
 */
async function recordFor(
  { read, rules }: QuerySources,
  range: LocalRange,
  needsTransitions: boolean,
): Promise<ScreenRecord> {
  if (!hasRules(rules) && !needsTransitions) return noRecord;
  try {
    return await read((snapshot) => loadScreenRecord({ snapshot, range, rules }));
  } catch (error) {
    if (!UserError.is(error) || hasRules(rules)) throw error;
    return noRecord;
  }
}

/** The screenshot of a reference; undefined if the reference is invalid, or the screenshot is deleted or private. */
export async function findShot(
  { screenshots, read, rules }: QuerySources,
  { reference }: { readonly reference: string },
): Promise<TakenShot | undefined> {
  const decoded = readReference(reference);
  const shot = decoded === undefined ? undefined : await screenshots.find(decoded);
  if (shot === undefined || !hasRules(rules)) return shot;
  const around = { from: shot.local - HOUR, to: shot.local + HOUR };
  const { screen, timeBase } = await read((snapshot) => loadScreenRecord({ snapshot, range: around, rules }));
  return visibleShots([shot], screen, timeBase).shots[0];
}

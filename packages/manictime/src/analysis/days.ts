import { getOrAdd } from '@deskside/core/base';
import { DAY, startOfDay, type WallTime } from '@deskside/core/dates';
import type { Damage } from '../database/judgement.ts';
import { byStart, type Snapshot } from '../database/snapshot.ts';
import {
  type Activity,
  type LocalRange,
  ofKind,
  stateOf,
  type Timeline,
  touches,
  touching,
} from '../database/model/activity.ts';
import { activeTime } from './active-time.ts';
import { type Atom, atomCutter } from './atoms.ts';
import { hasRules, type PrivacyRules } from './privacy.ts';
import { applyPrivacyToRows, privacyFilter, type ScreenTimes } from './private-rows.ts';

/**
 * One day of a range, with privacy rules applied. Its rows overlap the part of the range, or of `usage` the day;
 * they are not clipped, and sorted by start.
 */
export interface Day {
  /** The part of the range on this day. */
  readonly range: LocalRange;
  /** Midnight at the start of the day. */
  readonly day: WallTime;
  /** The active time of this part of the range. */
  readonly atoms: readonly Atom[];
  readonly applications: readonly Activity[];
  readonly documents: readonly Activity[];
  readonly tags: readonly Activity[];
  /** Of timelines of plugins, if they are read. */
  readonly others: readonly Activity[];
  /** The computer states of the whole day. */
  readonly usage: readonly Activity[];
  /** Whether a computer usage row has an unknown state. */
  readonly unknownStates: boolean;
  /** Whether the day has application rows before any rule. Other days count with ManicTime's own totals. */
  readonly isRecorded: boolean;
  /** Whether the day has rows of a Tags timeline before any rule. */
  readonly isTagged: boolean;
  /** The rows that the rules conceal, as stored, without tags. */
  readonly concealed: readonly Activity[];
  /** The same of tags. */
  readonly concealedTags: readonly Activity[];
  /** Those of them that no known window covers. */
  readonly unattributed: readonly Activity[];
  /** When screenshots may be shown; undefined without rules. */
  readonly screen: ScreenTimes | undefined;
  /** What is wrong with rows that start on this day. */
  readonly damage: Damage;
}

/** What a question is about. */
export type Needs = 'all' | 'windows';

/** What answers are made from. */
export interface Source {
  readonly snapshot: Snapshot;
  readonly rules: PrivacyRules;
}

/** What an answer is about. */
export interface Asked extends Source {
  readonly range: LocalRange;
}

interface DayOptions {
  /** `windows`: without documents and tags, if no privacy rule needs them. */
  readonly needs?: Needs;
  /** Only the rows of these timelines, without atoms. Privacy rules need all timelines. */
  readonly rowsOf?: readonly Timeline[];
}

const NO_CUTS = { documents: [], tags: [] };
const WINDOWS = ['applications', 'usage'] as const;
const KINDS = ['applications', 'usage', 'documents', 'urls', 'tags'] as const;

/**
 * Reads a range day by day: memory holds the rows of a few days, however long the range is. Computer
 * usage and privacy rules cover whole days: neither depends on the requested hours.
 */
export function* readDays(asked: Asked, { rowsOf, needs = 'all' }: DayOptions = {}): Generator<Day> {
  const { snapshot, range, rules } = asked;
  const kinds = needs === 'windows' && !hasRules(rules) ? WINDOWS : KINDS;
  const own = rowsOf ?? ofKind(snapshot.timelines, ...kinds);
  const timelines = rowsOf !== undefined && hasRules(rules) ? snapshot.timelines : own;
  // A page over midnight can be private because of its window on the other day. The clocks of several computers can differ.
  const isShared = devicesOf(ofKind(timelines, 'applications')).size > 1;
  const margin = hasRules(rules) || isShared ? DAY : 0;
  // The windows of pages that reach into the day before.
  const before = hasRules(rules) ? margin + DAY : margin;
  const whole = { from: startOfDay(range.from) - before, to: startOfDay(range.to + DAY - 1) + margin };
  const batches = snapshot.batches(timelines, whole);
  const privacy = privacyFilter(rules);
  const atoms = rowsOf === undefined ? needs : undefined;
  const dayRows = dayReader(asked, timelines, privacy, isShared, atoms);
  const damage = new Map<WallTime, Map<string, number>>();
  /** Computer states and tags. All other rows are in `privacy`. */
  let open: Activity[] = [];
  try {
    let batch = batches.next();
    for (let day = startOfDay(range.from); day < range.to; day += DAY) {
      const window = { from: day - margin, to: day + DAY + margin };
      for (; batch.done !== true && batch.value.day < window.to; batch = batches.next()) {
        const found = getOrAdd(damage, batch.value.day, () => new Map<string, number>());
        for (const [reason, times] of batch.value.damage) found.set(reason, (found.get(reason) ?? 0) + times);
        for (const activity of batch.value.activities) {
          const { kind } = activity.timeline;
          if (kind === 'usage' || kind === 'tags') open.push(activity);
          else privacy.add(activity);
        }
      }
      const part = { from: Math.max(day, range.from), to: Math.min(day + DAY, range.to) };
      open = touching(open, window).toSorted(byStart);
      yield { ...dayRows(day, part, window, open), damage: damage.get(day) ?? new Map() };
    }
  } finally {
    batches.return(undefined);
  }
}

function dayReader(
  { snapshot, rules }: Source,
  timelines: readonly Timeline[],
  privacy: ReturnType<typeof privacyFilter>,
  isShared: boolean,
  /** What atoms tell; undefined without atoms. */
  needs: Needs | undefined,
) {
  const cut = atomCutter(snapshot, rules);
  const usageTimelines = ofKind(timelines, 'usage');
  const trackedDevices = devicesOf(usageTimelines);
  const statesEnd = (device: string | undefined) => {
    const own = usageTimelines.filter(({ environment }) => device === undefined || environment === device);
    const ends = own.map((timeline) => snapshot.lastEnd(timeline)).filter((end) => end !== undefined);
    return ends.length === 0 ? undefined : Math.max(...ends);
  };
  const nameOf = (row: Activity) => snapshot.tags.of(row).join(', ');
  return (day: WallTime, range: LocalRange, window: LocalRange, rows: readonly Activity[]) => {
    const wholeDay = { from: day, to: day + DAY };
    const of = (kind: 'usage' | 'tags') => rows.filter(({ timeline }) => timeline.kind === kind);
    const span = isShared ? window : range;
    const screen = privacy.filter(window, span);
    const tags = applyPrivacyToRows(of('tags'), rules, nameOf, screen.screen);
    const usage = of('usage');
    const usageOfDay = touching(usage, wholeDay);
    // The clocks of several computers differ: the rows of more than the range decide what is in it.
    const inRange = (found: readonly Activity[]) => (isShared ? touching(found, range) : found);
    const opened = inRange(screen.documents);
    const tracked = { span, applications: screen.applications, usage: isShared ? usage : usageOfDay };
    const active = needs === undefined ? [] : activeTime({ ...tracked, trackedDevices, statesEnd }, range);
    return {
      day,
      range,
      applications: inRange(screen.applications),
      documents: needs === 'windows' ? [] : opened,
      others: inRange(screen.others),
      tags: touching(tags.rows, range),
      usage: usageOfDay,
      screen: screen.screen,
      concealed: inRange(screen.concealed),
      concealedTags: touching(tags.concealed, range),
      unattributed: inRange(screen.unattributed),
      // Fewer and larger ones, if rules alone need documents and tags.
      atoms: cut(active, needs === 'windows' ? NO_CUTS : { documents: opened, tags: tags.rows }),
      unknownStates: tracked.usage.some((row) => stateOf(row) === undefined),
      isRecorded: privacy.hasWindows(wholeDay),
      isTagged: of('tags').some((row) => touches(row, wholeDay)),
    };
  };
}

function devicesOf(timelines: readonly Timeline[]): Set<string> {
  return new Set(timelines.map(({ environment }) => environment).filter((device) => device !== undefined));
}

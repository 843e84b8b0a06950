import { DAY, HOUR, startOfDay, type WallTime } from '@deskside/core/dates';
import { getOrAdd } from '@deskside/core/base';
import type { DiagnosticNote } from '@deskside/core/errors';
import { aggregates, aggregateTable } from '../database/aggregates.ts';
import { damageNote, IMPOSSIBLE_TOTAL } from '../database/judgement.ts';
import { emptyRangeNote } from '../database/timelines.ts';
import { type Activity, type LocalRange, ofKind } from '../database/model/activity.ts';
import { addTo } from '../database/model/interval.ts';
import {
  activitiesPrivate,
  aggregatesLeftOut,
  aggregatesUsed,
  computedFromActivities,
  noApplicationsTimeline,
  notActive,
  notYetAttributable,
  noUsageTimeline,
  unknownUsageStates,
} from '../database/model/notes.ts';
import type { Categorizer } from './categories.ts';
import type { Asked, Day, Needs, Source } from './days.ts';
import type { Item, Sums, UsageSubject } from './group.ts';
import { daysOf } from './kept-days.ts';
import { hasRules } from './privacy.ts';
import { joinedScreenTimes, type ScreenTimes } from './private-rows.ts';

/** A question about all of a range. */
export interface RangeRequest {
  readonly range: LocalRange;
}

/** The same for answers that name kinds of programs. */
export interface CategorizedSource extends Source {
  readonly categoryOf: Categorizer;
}

/** How a range is counted. */
interface Counting {
  readonly needs?: Needs;
  /** Whether the answer is about tags, too. Default true. */
  readonly countsTags?: boolean;
  /** Gets each day, in order. */
  readonly each?: (day: Day) => void;
}

/**
 * Adds the active time of a range to each of some groupings. Single activities decide: a day that has some is computed from them, and
 * a day without counts with ManicTime's own totals, if these tell all that a grouping asks.
 */
export function countRange(
  asked: Asked,
  all: readonly Sums[],
  { needs, countsTags = true, each }: Counting = {},
): RangeFacts {
  const facts = new RangeFacts(asked, ({ timeline }) => countsTags || timeline.kind !== 'tags');
  for (const day of daysOf(asked, needs)) {
    facts.add(day);
    for (const atom of day.atoms) for (const sums of all) sums.add(atom, day.day);
    each?.(day);
  }
  facts.addTotals(all);
  return facts;
}

type Possible = DiagnosticNote | false | undefined;

/** What every answer reports about its range. */
export class RangeFacts {
  /** Seconds of active time. */
  seconds = 0;
  /** Those with a tag. */
  tagged = 0;
  /** How many rows the rules conceal. */
  concealed = 0;
  /** How many of them no known window covers. */
  unattributed = 0;
  /** Those of ManicTime's own totals in the first of the sums. */
  storedSeconds = 0;
  #storedNote: DiagnosticNote | undefined;
  #tablesMissing = false;
  readonly #asked: Asked;
  /** Days without rows of applications. */
  readonly #unrecorded: WallTime[] = [];
  #hasApplications = false;
  readonly #screens: (ScreenTimes | undefined)[] = [];
  #hasUnknownStates = false;
  readonly #damage = new Map<string, number>();
  readonly #isAbout: (row: Activity) => boolean;

  /** @param isAbout which concealed rows count */
  constructor(asked: Asked, isAbout: (row: Activity) => boolean) {
    this.#asked = asked;
    this.#isAbout = isAbout;
  }

  /** Call it once per day. */
  add(day: Day): void {
    for (const { start, end, tags } of day.atoms) {
      this.seconds += end - start;
      if (tags.length > 0) this.tagged += end - start;
    }
    // A row over midnight is in both days and counts once.
    const { from } = day.range;
    const isNew = (row: Activity) =>
      this.#isAbout(row) && (row.localStart >= from || from === this.#asked.range.from);
    this.concealed += [...day.concealed, ...day.concealedTags].filter(isNew).length;
    this.unattributed += day.unattributed.filter(isNew).length;
    this.#hasApplications ||= day.applications.length > 0;
    this.#screens.push(day.screen);
    this.#hasUnknownStates ||= day.unknownStates;
    if (!day.isRecorded) this.#unrecorded.push(day.day);
    for (const [reason, times] of day.damage) addTo(this.#damage, reason, times);
  }

  /** Adds ManicTime's own totals of the days without activities. Call it after all days. */
  addTotals(all: readonly Sums[]): void {
    const { snapshot, rules } = this.#asked;
    const [first] = all;
    const bySubject = new Map<UsageSubject, readonly StoredTotal[]>();
    const totalsOf = (subject: UsageSubject) =>
      getOrAdd(bySubject, subject, () => storedTotals(this.#asked, subject, new Set(this.#unrecorded)));
    for (const sums of all) {
      const { subject, grain, takesTotals } = sums;
      const table = aggregateTable(snapshot.layout, subject);
      this.#tablesMissing ||= table === undefined;
      // Nothing can be removed from them.
      if (!takesTotals || hasRules(rules) || (table?.step ?? DAY) > grain) continue;
      for (const { item, start, seconds } of totalsOf(subject)) {
        sums.addTotal(item, grain === HOUR ? start : startOfDay(start), seconds);
        if (sums === first) this.storedSeconds += seconds;
      }
    }
    const days = daysOfTotals(totalsOf(first?.subject ?? 'applications'));
    if (days.length > 0)
      this.#storedNote = (this.storedSeconds > 0 ? aggregatesUsed : aggregatesLeftOut)(days);
  }

  /** When screenshots may be shown; undefined without rules. */
  get screen(): ScreenTimes | undefined {
    return joinedScreenTimes(this.#screens);
  }

  /**
   * All that is missing or empty, in the order of its weight.
   *
   * @param about what is missing for this answer @param none why the answer is empty although the range is not
   */
  notes(about: readonly Possible[] = [], none?: Possible, needsTables = false): DiagnosticNote[] {
    const { timelines, impossibleTotals } = this.#asked.snapshot;
    if (impossibleTotals.size > 0) this.#damage.set(IMPOSSIBLE_TOTAL, impossibleTotals.size);
    return this.rowNotes(
      [
        ofKind(timelines, 'applications').length === 0 && noApplicationsTimeline,
        this.#hasUnknownStates && unknownUsageStates,
        ofKind(timelines, 'usage').length === 0 && this.seconds > 0 && noUsageTimeline,
        this.#storedNote,
        needsTables && this.#tablesMissing && computedFromActivities,
        ...about,
      ],
      this.seconds + this.storedSeconds === 0 ? this.#emptyNote() : none,
    );
  }

  /** The same for an answer about rows instead of active time. */
  rowNotes(about: readonly Possible[], none?: Possible): DiagnosticNote[] {
    const notes = [damageNote(this.#damage), ...about, this.unattributed > 0 && notYetAttributable, none];
    return notes.filter((note) => note !== undefined && note !== false);
  }

  /** The reason why an answer about the range has no active time. */
  #emptyNote(): DiagnosticNote {
    if (this.#hasApplications) return notActive;
    if (this.concealed > 0) return activitiesPrivate;
    return emptyReason(this.#asked);
  }
}

/** The reason why a range has no application rows. */
export function emptyReason({ snapshot, range }: Asked): DiagnosticNote {
  const days = daysOfTotals(storedTotals({ snapshot, range }, 'applications'));
  return days.length > 0 ? aggregatesLeftOut(days) : emptyRangeNote(snapshot, range);
}

/** One of ManicTime's own totals. */
interface StoredTotal {
  readonly item: Item;
  /** Of its hour or day. */
  readonly start: WallTime;
  readonly seconds: number;
}

/** ManicTime's own totals for the hours or days that lie in a range as a whole. @param days default: all of it */
function storedTotals(
  { snapshot, range }: Pick<Asked, 'snapshot' | 'range'>,
  subject: UsageSubject,
  days?: ReadonlySet<WallTime>,
): StoredTotal[] {
  if (days?.size === 0) return [];
  const items = new Map<unknown, Item>();
  const itemOf = (commonId: unknown) =>
    getOrAdd(items, commonId, () => {
      const { name, color, key } = snapshot.groups.common(commonId);
      return { id: `common/${String(commonId)}`, name: name ?? key ?? 'Unknown', color, key };
    });
  return aggregates(snapshot, subject, range).flatMap(({ commonId, start, seconds }) =>
    days?.has(startOfDay(start)) === false ? [] : { item: itemOf(commonId), start, seconds },
  );
}

/** Sorted. */
function daysOfTotals(totals: readonly StoredTotal[]): WallTime[] {
  return [...new Set(totals.map(({ start }) => startOfDay(start)))].toSorted((a, b) => a - b);
}

import { DAY, startOfDay, type WallTime } from '@deskside/core/dates';
import type { Snapshot } from '../database/snapshot.ts';
import type { Activity, Group, LocalRange, Timeline } from '../database/model/activity.ts';
import type { Atom } from './atoms.ts';
import { type DayAtoms, type DayOptions, readDays } from './days.ts';
import { hasRules, type PrivacyRules } from './privacy.ts';

/** About two years of a typical person. */
const MAX_BYTES = 64 * 1024 * 1024;

type AtomOptions = Pick<DayOptions, 'documents' | 'tags'>;

/**
 * The same as `readDays`, without rows. Whole days stay in memory, in a compact form, until the database has a new commit:
 * a second question about a year reads nothing.
 */
export function* readAtoms(
  snapshot: Snapshot,
  range: LocalRange,
  rules: PrivacyRules,
  { documents = false, tags = false }: AtomOptions = {},
): Generator<DayAtoms> {
  const prepared = preparedDays(snapshot, rules);
  // Rules read documents anyway, so the days also serve questions about them.
  const options = { documents: documents || hasRules(rules), tags };
  const isWhole = (day: WallTime) => day >= range.from && day + DAY <= range.to;
  for (let day = startOfDay(range.from); day < range.to;) {
    const known = isWhole(day) ? prepared?.get(day, options) : undefined;
    if (known !== undefined) {
      yield known;
      day += DAY;
      continue;
    }
    let end = day + DAY;
    while (end < range.to && prepared?.has(end, options) !== true) end += DAY;
    const missing = { from: Math.max(day, range.from), to: Math.min(end, range.to) };
    for (const rows of readDays(snapshot, missing, rules, options)) {
      if (isWhole(rows.day)) prepared?.add(rows, options);
      yield rows;
    }
    day = end;
  }
}

const known = new WeakMap<object, WeakMap<PrivacyRules, PreparedDays>>();

function preparedDays({ state }: Snapshot, rules: PrivacyRules): PreparedDays | undefined {
  if (state === undefined) return undefined;
  const ofOwner = known.get(state.owner) ?? new WeakMap<PrivacyRules, PreparedDays>();
  known.set(state.owner, ofOwner);
  const found = ofOwner.get(rules);
  if (found?.version === state.version) return found;
  const days = new PreparedDays(state.version);
  ofOwner.set(rules, days);
  return days;
}

/** Numbers of a row: start, end, local start and local end relative to the day, id, and places in the lists of names. */
const ROW_NUMBERS = 8;
/** Numbers of an atom: start and end relative to the day, and places of its rows and tags. */
const ATOM_NUMBERS = 6;

interface PreparedDay extends Omit<DayAtoms, 'atoms'> {
  readonly cutBy: Required<AtomOptions>;
  readonly rows: Int32Array;
  readonly atoms: Int32Array;
}

/** Days of one version of a database. Names are stored once for all of them. */
class PreparedDays {
  readonly version: string;
  readonly #days = new Map<WallTime, PreparedDay>();
  #names = new Places<string | undefined>();
  #groups = new Places<Group | undefined>();
  #timelines = new Places<Timeline>();
  #tags = new Places<readonly string[]>();
  #bytes = 0;

  constructor(version: string) {
    this.version = version;
  }

  /** A day that is cut by more serves as well. */
  has(day: WallTime, { documents, tags }: Required<AtomOptions>): boolean {
    const cutBy = this.#days.get(day)?.cutBy;
    return cutBy !== undefined && (cutBy.documents || !documents) && (cutBy.tags || !tags);
  }

  get(day: WallTime, options: Required<AtomOptions>): DayAtoms | undefined {
    const found = this.has(day, options) ? this.#days.get(day) : undefined;
    if (found === undefined) return undefined;
    const unpacked = this.#unpack(found);
    return options.tags ? unpacked : { ...unpacked, concealedTags: { all: 0, started: 0 } };
  }

  add(day: DayAtoms, cutBy: Required<AtomOptions>): void {
    const { atoms, rows, bytes } = this.#pack(day);
    if (atoms === undefined || rows === undefined) return;
    const before = this.#days.get(day.day);
    if (before !== undefined) this.#bytes -= before.rows.byteLength + before.atoms.byteLength;
    this.#bytes += bytes;
    const { range, unknownStates, isRecorded, hasApplications, concealed, concealedTags, unattributed } = day;
    const counts = { concealed, concealedTags, unattributed };
    const facts = { range, day: day.day, unknownStates, isRecorded, hasApplications, ...counts };
    this.#days.set(day.day, { ...facts, cutBy, rows, atoms });
    if (this.#bytes > MAX_BYTES) this.#clear();
  }

  #clear(): void {
    this.#days.clear();
    this.#names = new Places();
    this.#groups = new Places();
    this.#timelines = new Places();
    this.#tags = new Places();
    this.#bytes = 0;
  }

  #pack({ day, atoms }: DayAtoms) {
    let bytes = 0;
    const place = <Value>(values: Places<Value>, value: Value, size: number, identity: unknown = value) => {
      const before = values.size;
      const found = values.of(value, identity);
      if (values.size > before) bytes += size;
      return found;
    };
    const places = new Map<Activity, number>();
    const rows: number[] = [];
    const rowOf = (row: Activity | undefined) => {
      if (row === undefined) return -1;
      const found = places.get(row);
      if (found !== undefined) return found;
      const { start, end, localStart, localEnd, activityId, name, group, timeline } = row;
      rows.push(start - day, end - day, localStart - day, localEnd - day, activityId);
      rows.push(place(this.#names, name, 100 + 2 * (name?.length ?? 0)));
      rows.push(place(this.#groups, group, 200), place(this.#timelines, timeline, 200, timeline.reportId));
      const added = places.size;
      places.set(row, added);
      return added;
    };
    const cut: number[] = [];
    for (const { start, end, activity, page, file, tags } of atoms) {
      cut.push(start - day, end - day, rowOf(activity), rowOf(page), rowOf(file));
      const names = tags.length === 0 ? '' : JSON.stringify(tags);
      cut.push(place(this.#tags, tags, 100 + 2 * names.length, names));
    }
    bytes += 4 * (rows.length + cut.length);
    return { rows: integers(rows), atoms: integers(cut), bytes };
  }

  #unpack({ rows, atoms, cutBy: _, ...facts }: PreparedDay): DayAtoms {
    const { day } = facts;
    const activities: Activity[] = [];
    for (let at = 0; at < rows.length; at += ROW_NUMBERS) {
      activities.push({
        start: day + (rows[at] ?? 0),
        end: day + (rows[at + 1] ?? 0),
        localStart: day + (rows[at + 2] ?? 0),
        localEnd: day + (rows[at + 3] ?? 0),
        activityId: rows[at + 4] ?? 0,
        name: this.#names.at(rows[at + 5]),
        group: this.#groups.at(rows[at + 6]),
        timeline: this.#timelines.at(rows[at + 7]),
        groupId: undefined,
        relatedId: undefined,
        groupListId: undefined,
      });
    }
    const unpacked: Atom[] = [];
    for (let at = 0; at < atoms.length; at += ATOM_NUMBERS) {
      const activity = activities[atoms[at + 2] ?? 0];
      if (activity === undefined) continue;
      unpacked.push({
        start: day + (atoms[at] ?? 0),
        end: day + (atoms[at + 1] ?? 0),
        activity,
        page: activities[atoms[at + 3] ?? -1],
        file: activities[atoms[at + 4] ?? -1],
        tags: this.#tags.at(atoms[at + 5]),
      });
    }
    return { ...facts, atoms: unpacked };
  }
}

/** Values that are stored once, and their places. */
class Places<Value> {
  readonly #values: Value[] = [];
  readonly #places = new Map<unknown, number>();

  get size(): number {
    return this.#values.length;
  }

  /** @param identity what tells values apart */
  of(value: Value, identity: unknown = value): number {
    const known = this.#places.get(identity);
    if (known !== undefined) return known;
    this.#places.set(identity, this.size);
    return this.#values.push(value) - 1;
  }

  at(place: number | undefined): Value {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- places are those that `of` returned
    return this.#values[place ?? 0] as Value;
  }
}

/** Undefined if a number does not fit. */
function integers(numbers: readonly number[]): Int32Array | undefined {
  const stored = Int32Array.from(numbers);
  return stored.every((number, at) => number === numbers[at]) ? stored : undefined;
}

import { DAY, startOfDay, type WallTime } from '@deskside/core/dates';
import type { Snapshot } from '../database/snapshot.ts';
import type { Activity, Group, LocalRange, Timeline } from '../database/model/activity.ts';
import type { Atom } from './atoms.ts';
import { type DayAtoms, readDays } from './days.ts';
import type { PrivacyRules } from './privacy.ts';

/** More than a year of a typical person. */
const MAX_BYTES = 24 * 1024 * 1024;

/**
 * The same as `readDays`, without the rows of windows and documents. Whole days stay in memory, in a compact form, until the
 * database has a new commit: a second question about a year reads nothing.
 */
export function* readAtoms(snapshot: Snapshot, range: LocalRange, rules: PrivacyRules): Generator<DayAtoms> {
  const prepared = preparedDays(snapshot, rules);
  const isWhole = (day: WallTime) => day >= range.from && day + DAY <= range.to;
  for (let day = startOfDay(range.from); day < range.to;) {
    const known = isWhole(day) ? prepared?.get(day) : undefined;
    if (known !== undefined) {
      yield known;
      day += DAY;
      continue;
    }
    let end = day + DAY;
    while (end < range.to && prepared?.has(end) !== true) end += DAY;
    const missing = { from: Math.max(day, range.from), to: Math.min(end, range.to) };
    for (const rows of readDays(snapshot, missing, rules)) {
      if (isWhole(rows.day)) prepared?.add(rows);
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

/** Numbers of a row: start and end relative to the day, id, and places of its name and of what it has in common with others. */
const ROW_NUMBERS = 5;
/** Numbers of an atom: start and end relative to the day, and places of its rows and tags. */
const ATOM_NUMBERS = 6;

interface PreparedDay extends Omit<DayAtoms, 'atoms' | 'usage' | 'tags'> {
  /** Those of atoms, then of the states, then of the tags. */
  readonly rows: Int32Array;
  readonly atoms: Int32Array;
  readonly usageRows: number;
  readonly tagRows: number;
  /** All names of the rows as one text, outside of the heap, and where each ends. A string for each takes thrice the memory. */
  readonly names: Buffer;
  readonly nameEnds: Int32Array;
}

/** What many rows have in common. */
interface Common extends Pick<Activity, 'group' | 'timeline' | 'groupListId'> {
  /** Of the local clock from UTC. */
  readonly startOffset: number;
  readonly endOffset: number;
}

/** Days of one version of a database. What rows have in common is stored once for all of them. */
class PreparedDays {
  readonly version: string;
  readonly #days = new Map<WallTime, PreparedDay>();
  #common: Common[] = [];
  /** Places in `#common` of each group, or of a timeline for rows without one: a few. */
  #commonOf = new Map<Group | Timeline, number[]>();
  #tags = new Places<readonly string[]>();
  #bytes = 0;

  constructor(version: string) {
    this.version = version;
  }

  has(day: WallTime): boolean {
    return this.#days.has(day);
  }

  get(day: WallTime): DayAtoms | undefined {
    const found = this.#days.get(day);
    return found === undefined ? undefined : this.#unpack(found);
  }

  add(day: DayAtoms): void {
    const packed = this.#pack(day);
    if (packed === undefined) return;
    const { rows, atoms, names, nameEnds } = packed;
    this.#bytes += 4 * (rows.length + atoms.length + nameEnds.length) + names.length;
    this.#days.set(day.day, packed);
    if (this.#bytes > MAX_BYTES) this.#clear();
  }

  #clear(): void {
    this.#days.clear();
    this.#common = [];
    this.#commonOf = new Map();
    this.#tags = new Places();
    this.#bytes = 0;
  }

  #pack(read: DayAtoms): PreparedDay | undefined {
    const { day, atoms, usage, tags, range, unknownStates, isRecorded, isTagged, hasApplications } = read;
    const { concealed, concealedTags, unattributed } = read;
    const names = new Places<string>();
    const rows = new Int32Array(ROW_NUMBERS * (3 * atoms.length + usage.length + tags.length));
    let [count, fits] = [0, true];
    const add = (row: Activity) => {
      const { start, end, activityId, name } = row;
      const at = count * ROW_NUMBERS;
      rows[at] = start - day;
      rows[at + 1] = end - day;
      rows[at + 2] = activityId;
      rows[at + 3] = name === undefined ? -1 : names.of(name);
      rows[at + 4] = this.#commonPlace(row);
      fits &&= rows[at + 2] === activityId;
      count += 1;
      return count - 1;
    };
    const cut = new Int32Array(ATOM_NUMBERS * atoms.length);
    let last: Atom | undefined;
    for (const [index, atom] of atoms.entries()) {
      const { start, end, activity, page, file } = atom;
      const at = index * ATOM_NUMBERS;
      cut[at] = start - day;
      cut[at + 1] = end - day;
      // Neighbors have rows in common. Few others do, so those are stored twice.
      cut[at + 2] = activity === last?.activity ? (cut[at - 4] ?? 0) : add(activity);
      cut[at + 3] = page === undefined ? -1 : page === last?.page ? (cut[at - 3] ?? 0) : add(page);
      cut[at + 4] = file === undefined ? -1 : file === last?.file ? (cut[at - 2] ?? 0) : add(file);
      cut[at + 5] =
        atom.tags === last?.tags ? (cut[at - 1] ?? 0) : this.#tags.of(atom.tags, JSON.stringify(atom.tags));
      last = atom;
    }
    for (const row of usage) add(row);
    for (const row of tags) add(row);
    if (!fits) return undefined;
    let nameEnd = 0;
    const counts = { concealed, concealedTags, unattributed };
    return {
      day,
      range,
      unknownStates,
      isRecorded,
      isTagged,
      hasApplications,
      ...counts,
      rows: rows.slice(0, ROW_NUMBERS * count),
      atoms: cut,
      usageRows: usage.length,
      tagRows: tags.length,
      names: Buffer.from(names.values.join('')),
      nameEnds: Int32Array.from(names.values, ({ length }) => (nameEnd += length)),
    };
  }

  #commonPlace({ start, end, localStart, localEnd, group, timeline, groupListId }: Activity): number {
    const [startOffset, endOffset] = [localStart - start, localEnd - end];
    const places = this.#commonOf.get(group ?? timeline) ?? [];
    for (const place of places) {
      const other = this.#common[place];
      if (
        other?.timeline === timeline &&
        other.groupListId === groupListId &&
        other.startOffset === startOffset &&
        other.endOffset === endOffset
      )
        return place;
    }
    const added = this.#common.push({ group, timeline, groupListId, startOffset, endOffset }) - 1;
    this.#commonOf.set(group ?? timeline, [...places, added]);
    return added;
  }

  #unpack({ rows, atoms, names, nameEnds, usageRows, tagRows, ...facts }: PreparedDay): DayAtoms {
    const { day } = facts;
    const joined = names.toString();
    const texts: string[] = [];
    for (let at = 0; at < nameEnds.length; at += 1)
      texts.push(joined.slice(nameEnds[at - 1] ?? 0, nameEnds[at]));
    const activities: Activity[] = [];
    for (let at = 0; at < rows.length; at += ROW_NUMBERS) {
      const start = day + (rows[at] ?? 0);
      const end = day + (rows[at + 1] ?? 0);
      const common = this.#common[rows[at + 4] ?? 0];
      if (common === undefined) continue;
      const { group, timeline, groupListId, startOffset, endOffset } = common;
      activities.push({
        start,
        end,
        localStart: start + startOffset,
        localEnd: end + endOffset,
        activityId: rows[at + 2] ?? 0,
        name: texts[rows[at + 3] ?? -1],
        group,
        timeline,
        groupListId,
        groupId: undefined,
        relatedId: undefined,
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
    const tagsFrom = activities.length - tagRows;
    return {
      ...facts,
      atoms: unpacked,
      usage: activities.slice(tagsFrom - usageRows, tagsFrom),
      tags: activities.slice(tagsFrom),
    };
  }
}

/** Values that are stored once, and their places. */
class Places<Value> {
  readonly values: Value[] = [];
  readonly #places = new Map<unknown, number>();

  /** @param identity what tells values apart */
  of(value: Value, identity: unknown = value): number {
    const known = this.#places.get(identity);
    if (known !== undefined) return known;
    this.#places.set(identity, this.values.length);
    return this.values.push(value) - 1;
  }

  at(place: number | undefined): Value {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- places are those that `of` returned
    return this.values[place ?? 0] as Value;
  }
}

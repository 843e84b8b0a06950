import type { ItemKind, JournalFilter, JournalRecord } from './records.ts';
import { parseObject } from '@deskside/core/base';
import { DAY_MS } from './segments.ts';
import { isAlive, isWriterLine, type WriterLine } from './writer-life.ts';

/** A part of what is known about an item. The first line with `asked` begins it, the first one with `ended` ends it. */
export interface ItemLine extends Partial<Omit<JournalRecord, 'id' | 'kind'>> {
  readonly id: string;
  /** The writer. */
  readonly by: string;
  readonly kind: ItemKind;
}

/** An item of a writer that may or may not run ends after this time. */
const UNKNOWN_LIFE_MS = DAY_MS;

/** An item has a part of its call, and one of what the call asks: a question, news, a notification, an approval. */
interface Parts {
  call?: ItemLine;
  own?: ItemLine;
  /** Where its last line is. */
  segment: string;
}

/** Puts lines together to records. */
export class Fold {
  readonly #items = new Map<string, Parts>();
  /** Ended items that are forgotten, with the segment of their last line. */
  readonly #over = new Map<string, string>();
  readonly #writers = new Map<string, WriterLine>();

  /** @returns the id of the item that the line is about; undefined for other lines */
  add(text: string, segment: string): string | undefined {
    const line = parseObject(text);
    if (line === undefined) return undefined;
    if (isWriterLine(line)) this.#writers.set(line.writer, line);
    if (!isItemLine(line)) return undefined;
    if (this.#over.has(line.id)) {
      this.#over.set(line.id, segment);
      return undefined;
    }
    const part = line.kind === 'call' ? 'call' : 'own';
    const parts: Parts = this.#items.get(line.id) ?? { segment };
    parts[part] = merged(parts[part], line);
    parts.segment = segment;
    this.#items.set(line.id, parts);
    return line.id;
  }

  /** A segment was deleted: forgets the items that no other segment is about. */
  forget(deleted: string): void {
    for (const [id, { segment }] of this.#items) if (segment === deleted) this.#items.delete(id);
    for (const [id, segment] of this.#over) if (segment === deleted) this.#over.delete(id);
  }

  /**
   * Forgets what ended before a time, and ignores later lines about it.
   *
   * @param present the segment that was read last. Its items stay: what a call asks may begin after the end of the call
   * @param changed ids of items whose change is not reported yet
   */
  forgetEnded(before: Date, present: string, changed: ReadonlySet<string>): void {
    for (const [id, { call, own = call, segment }] of this.#items) {
      if (segment === present || changed.has(id) || !(Date.parse(own?.ended ?? '') < before.getTime()))
        continue;
      this.#items.delete(id);
      this.#over.set(id, segment);
    }
  }

  /** @returns undefined for an item whose beginning is not known: its segment was deleted */
  record(id: string, now: Date): JournalRecord | undefined {
    const { call, own = call }: Partial<Parts> = this.#items.get(id) ?? {};
    const { asked } = call ?? own ?? {};
    if (own?.caller === undefined || own.user === undefined || asked === undefined) return undefined;
    const { by, kind, caller, user, shown, seen, ended, via } = own;
    const isOver = ended !== undefined || this.#isInterrupted(by, asked, now);
    return {
      id,
      kind,
      caller,
      user,
      token: own.token,
      project: own.project,
      session: own.session,
      mount: call?.mount ?? own.mount,
      tool: call?.tool ?? own.tool,
      transport: call?.transport,
      asked,
      shown,
      seen,
      ended,
      outcome: own.outcome ?? (isOver ? 'interrupted' : undefined),
      via,
      ms: call?.ms ?? own.ms,
    };
  }

  /** In the order in which they began. */
  records(filter: JournalFilter, now: Date): readonly JournalRecord[] {
    const found = [...(filter.ids ?? this.#items.keys())]
      .map((id) => this.record(id, now))
      .filter((record) => record !== undefined)
      .filter((record) => isWanted(record, filter));
    return filter.limit === 0 ? [] : inOrder(found, now).slice(-(filter.limit ?? found.length));
  }

  #isInterrupted(by: string, asked: string, now: Date): boolean {
    const writer = this.#writers.get(by);
    const isRunning = writer === undefined ? undefined : isAlive(writer);
    return isRunning === undefined ? now.getTime() - Date.parse(asked) > UNKNOWN_LIFE_MS : !isRunning;
  }
}

/** The limit is not a property of one record. */
export function isWanted(
  record: JournalRecord,
  { ids, agent, project, kind, isOpen }: JournalFilter,
): boolean {
  const name = agent?.toLowerCase() ?? '';
  return (
    (ids?.has(record.id) ?? true) &&
    [record.caller, record.token ?? ''].some((text) => text.toLowerCase().includes(name)) &&
    (project === undefined || record.project === project) &&
    (kind === undefined || record.kind === kind) &&
    (isOpen === undefined || (record.outcome === undefined) === isOpen)
  );
}

const TIMES: ReadonlySet<string> = new Set(['asked', 'shown', 'seen', 'ended']);

function isItemLine(line: Readonly<Record<string, unknown>>): line is ItemLine & typeof line {
  return (
    ['id', 'by', 'kind'].every((key) => typeof line[key] === 'string') &&
    Object.entries(line).every(([key, value]) => {
      if (key === 'ms') return typeof value === 'number';
      return typeof value === 'string' && !(TIMES.has(key) && Number.isNaN(Date.parse(value)));
    })
  );
}

/** What was known first counts; the last writer has the item. */
function merged(known: ItemLine | undefined, line: ItemLine): ItemLine {
  if (known === undefined) return line;
  const { outcome, via, ms, ...others } = line;
  // What a notification ended as says not where the person saw it later.
  const place = known.via ?? (line.seen === undefined ? undefined : via);
  const end = known.ended === undefined ? { outcome, via: via ?? known.via, ms } : { via: place };
  return { ...others, ...known, ...end, by: line.by };
}

/** A time more than a day ahead is a wrong one: it must not hide the newest records. */
function inOrder(records: readonly JournalRecord[], now: Date): readonly JournalRecord[] {
  const latest = now.getTime() + DAY_MS;
  return records
    .map((record) => ({ record, at: Date.parse(record.asked) }))
    .toSorted((a, b) => Number(b.at > latest) - Number(a.at > latest) || a.at - b.at)
    .map(({ record }) => record);
}

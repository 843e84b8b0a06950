import {
  instantOfShot,
  type ListedShot,
  readShot,
  referenceOf,
  type Shot,
  SHOT_BYTES,
  writeShot,
} from './shot.ts';

const INITIAL_CAPACITY = 1024;
/** The last byte tells whether the screenshot has a thumbnail. */
const RECORD_BYTES = SHOT_BYTES + 1;

/**
 * Many screenshots in little memory. A folder that is never cleaned up has millions.
 *
 * Add the files, then call {@link sorted}.
 */
export class ShotList {
  #length = 0;
  #records = Buffer.alloc(RECORD_BYTES * INITIAL_CAPACITY);

  add(shot: Shot, hasThumbnail: boolean): void {
    const at = this.#length * RECORD_BYTES;
    if (at === this.#records.length) this.#records = Buffer.concat([this.#records, Buffer.alloc(at)]);
    writeShot(this.#records, at, shot);
    this.#records[at + SHOT_BYTES] = Number(hasThumbnail);
    this.#length += 1;
  }

  /** The screenshots ordered by time, then monitor. */
  sorted(): SortedShots {
    const order = new Uint32Array(this.#length).map((_, index) => index);
    const instants = Float64Array.from(order, (index) => instantOfShot(this.#at(index)));
    order.sort((a, b) => {
      const earlier = (instants[a] ?? 0) - (instants[b] ?? 0);
      if (earlier !== 0) return earlier;
      const [one, other] = [this.#at(a), this.#at(b)];
      return one.monitor - other.monitor || one.sequence - other.sequence;
    });
    return new SortedShots(order, (index) => this.#at(index));
  }

  #at(index: number): Shot & { readonly hasThumbnail: boolean } {
    const at = index * RECORD_BYTES;
    return { ...readShot(this.#records, at), hasThumbnail: this.#records[at + SHOT_BYTES] === 1 };
  }
}

/** Screenshots ordered by time. Objects are made on demand. */
export class SortedShots {
  readonly #order: Uint32Array;
  readonly #shotAt: (index: number) => Shot & { readonly hasThumbnail: boolean };

  constructor(order: Uint32Array, shotAt: (index: number) => Shot & { readonly hasThumbnail: boolean }) {
    this.#order = order;
    this.#shotAt = shotAt;
  }

  get length(): number {
    return this.#order.length;
  }

  /** @param place below `length` */
  at(place: number): ListedShot {
    const { hasThumbnail, ...shot } = this.#shotAt(this.#order[place] ?? 0);
    return { ...shot, instant: instantOfShot(shot), reference: referenceOf(shot), hasThumbnail };
  }

  /** Time of a screenshot: UTC or local seconds. */
  timeAt(place: number, timeBase: 'utc' | 'local'): number {
    const shot = this.#shotAt(this.#order[place] ?? 0);
    return timeBase === 'utc' ? instantOfShot(shot) : shot.local;
  }

  /** @param isKept called once per place, in order */
  filter(isKept: (place: number) => boolean): SortedShots {
    return new SortedShots(
      this.#order.filter((_, place) => isKept(place)),
      this.#shotAt,
    );
  }
}

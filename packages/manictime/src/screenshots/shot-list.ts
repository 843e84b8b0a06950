import { instantOfShot, type ListedShot, referenceOf, type Shot } from './shot.ts';

const INITIAL_CAPACITY = 1024;
/** Numbers of 32 bits per screenshot: time, offset, size, two of the sequence, monitor and thumbnail. */
const WORDS = 6;
const WORD = 2 ** 32;
const HALF_WORD = 2 ** 16;
/** No offset is longer than this, in minutes. */
const MAX_OFFSET = 1024;

/**
 * Many screenshots in little memory: 24 bytes each. A folder that is never cleaned up has millions.
 *
 * Add the files, then call {@link sorted}.
 */
export class ShotList {
  #length = 0;
  #words = new Uint32Array(WORDS * INITIAL_CAPACITY);

  get length(): number {
    return this.#length;
  }

  add({ local, offset, width, height, sequence, monitor }: Shot, hasThumbnail: boolean): void {
    const at = this.#length * WORDS;
    if (at === this.#words.length) {
      const larger = new Uint32Array(2 * at);
      larger.set(this.#words);
      this.#words = larger;
    }
    const size = width * HALF_WORD + height;
    const kind = monitor * 2 + Number(hasThumbnail);
    const high = Math.floor(sequence / WORD);
    this.#words.set([local, offset + MAX_OFFSET, size, high, sequence % WORD, kind], at);
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
    const at = index * WORDS;
    const [local = 0, offset = 0, size = 0, high = 0, low = 0, kind = 0] = this.#words.subarray(
      at,
      at + WORDS,
    );
    return {
      local,
      offset: offset - MAX_OFFSET,
      width: Math.floor(size / HALF_WORD),
      height: size % HALF_WORD,
      sequence: high * WORD + low,
      monitor: kind >> 1,
      hasThumbnail: kind % 2 === 1,
    };
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

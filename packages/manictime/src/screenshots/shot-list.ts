import { instantOfShot, type ListedShot, referenceOf, type Shot } from './shot.ts';

const INITIAL_CAPACITY = 1024;

/**
 * Many screenshots in little memory: 23 bytes each. A folder that is never cleaned up has millions.
 *
 * Add the files, then call {@link sorted}.
 */
export class ShotList {
  #length = 0;
  #local = new Float64Array(INITIAL_CAPACITY);
  #offset = new Int16Array(INITIAL_CAPACITY);
  #width = new Uint16Array(INITIAL_CAPACITY);
  #height = new Uint16Array(INITIAL_CAPACITY);
  #sequence = new Float64Array(INITIAL_CAPACITY);
  #monitor = new Uint8Array(INITIAL_CAPACITY);
  #hasThumbnail = new Uint8Array(INITIAL_CAPACITY);

  get length(): number {
    return this.#length;
  }

  add(shot: Shot, hasThumbnail: boolean): void {
    if (this.#length === this.#local.length) this.#grow();
    const index = this.#length;
    this.#length += 1;
    this.#local[index] = shot.local;
    this.#offset[index] = shot.offset;
    this.#width[index] = shot.width;
    this.#height[index] = shot.height;
    this.#sequence[index] = shot.sequence;
    this.#monitor[index] = shot.monitor;
    this.#hasThumbnail[index] = hasThumbnail ? 1 : 0;
  }

  /** The screenshots ordered by time, then monitor. */
  sorted(): SortedShots {
    const order = new Uint32Array(this.#length).map((_, index) => index);
    const instants = Float64Array.from(order, (index) => this.#instant(index));
    order.sort(
      (a, b) =>
        (instants[a] ?? 0) - (instants[b] ?? 0) ||
        (this.#monitor[a] ?? 0) - (this.#monitor[b] ?? 0) ||
        (this.#sequence[a] ?? 0) - (this.#sequence[b] ?? 0),
    );
    return new SortedShots(order, (index) => this.#at(index));
  }

  #instant(index: number): number {
    return instantOfShot({ local: this.#local[index] ?? 0, offset: this.#offset[index] ?? 0 });
  }

  #at(index: number): Shot & { readonly hasThumbnail: boolean } {
    return {
      local: this.#local[index] ?? 0,
      offset: this.#offset[index] ?? 0,
      width: this.#width[index] ?? 0,
      height: this.#height[index] ?? 0,
      sequence: this.#sequence[index] ?? 0,
      monitor: this.#monitor[index] ?? 0,
      hasThumbnail: this.#hasThumbnail[index] === 1,
    };
  }

  #grow(): void {
    const capacity = this.#local.length * 2;
    this.#local = copy(new Float64Array(capacity), this.#local);
    this.#offset = copy(new Int16Array(capacity), this.#offset);
    this.#width = copy(new Uint16Array(capacity), this.#width);
    this.#height = copy(new Uint16Array(capacity), this.#height);
    this.#sequence = copy(new Float64Array(capacity), this.#sequence);
    this.#monitor = copy(new Uint8Array(capacity), this.#monitor);
    this.#hasThumbnail = copy(new Uint8Array(capacity), this.#hasThumbnail);
  }
}

function copy<Column extends Float64Array | Int16Array | Uint16Array | Uint8Array>(
  to: Column,
  from: Column,
): Column {
  to.set(from);
  return to;
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

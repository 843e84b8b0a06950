const LINE_FEED = 0x0a;
/** Enough of either end of a line to find its request id in. */
const KEPT = 4096;

export type Line =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'too-long'; readonly head: string; readonly tail: string };

/** Cuts a byte stream into lines. A line over the limit costs no memory beyond it: its two ends are kept. */
export class LineSplitter {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #length = 0;

  /** @param limit bytes a line may have, without its line feed */
  constructor(limit: number) {
    this.#limit = limit;
  }

  *split(chunk: Buffer): Generator<Line> {
    let rest = chunk;
    for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED)) {
      this.#keep(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      yield this.#take();
    }
    this.#keep(rest);
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#length += part.length;
    this.#chunks.push(part);
    if (this.#length <= this.#limit) return;
    const kept = Buffer.concat(this.#chunks);
    this.#chunks = kept.length <= 2 * KEPT ? [kept] : [kept.subarray(0, KEPT), kept.subarray(-KEPT)];
  }

  #take(): Line {
    const line = Buffer.concat(this.#chunks);
    const tooLong = this.#length > this.#limit;
    this.#chunks = [];
    this.#length = 0;
    if (!tooLong) return { kind: 'line', text: line.toString('utf8') };
    return {
      kind: 'too-long',
      head: line.subarray(0, KEPT).toString('utf8'),
      tail: line.subarray(-KEPT).toString('utf8'),
    };
  }
}

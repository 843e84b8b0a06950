const LINE_FEED = 0x0a;
/** What is left of a line that is too long. */
const END_BYTES = 1024;

export type Line =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'too-long'; readonly head: string; readonly tail: string };

/** Splits a byte stream into lines. Of a line over the limit it holds only the start and the end. */
export class BoundedLines {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The start of a line that is too long. */
  #head: Buffer | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** True while the line whose end has not come is too long. */
  get isTooLong(): boolean {
    return this.#head !== undefined;
  }

  *split(chunk: Buffer): Generator<Line> {
    let rest = chunk;
    for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED)) {
      this.#add(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      yield this.#take();
    }
    this.#add(rest);
  }

  #add(part: Buffer): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    this.#chunks.push(part);
    if (this.#bytes <= this.#maxBytes) return;
    const held = Buffer.concat(this.#chunks);
    this.#head ??= Buffer.from(held.subarray(0, END_BYTES));
    this.#chunks = [Buffer.from(held.subarray(-END_BYTES))];
  }

  #take(): Line {
    const [only, second] = this.#chunks;
    const bytes = only !== undefined && second === undefined ? only : Buffer.concat(this.#chunks);
    const text = bytes.toString('utf8');
    const head = this.#head?.toString('utf8');
    this.#chunks = [];
    this.#bytes = 0;
    this.#head = undefined;
    return head === undefined ? { kind: 'line', text } : { kind: 'too-long', head, tail: text };
  }
}

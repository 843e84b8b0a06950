import type { RequestId } from '@modelcontextprotocol/server';

/** The id of a JSON-RPC message. */
export function idOf(parsed: unknown): RequestId | null {
  if (typeof parsed !== 'object' || parsed === null || !('id' in parsed)) return null;
  return typeof parsed.id === 'string' || typeof parsed.id === 'number' ? parsed.id : null;
}

const ID = String.raw`"id"\s*:\s*(\d+|"(?:[^"\\]|\\.){0,200}")`;
const ID_FIRST = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${ID}\s*,`);
const ID_LAST = new RegExp(String.raw`,\s*${ID}\s*\}\s*$`);

/** Finds the id of a message that is too long to parse. Only an outermost member can match, never nested data. */
export function idAtEitherEnd(head: string, tail: string): RequestId | null {
  const found = ID_FIRST.exec(head)?.[1] ?? ID_LAST.exec(tail)?.[1];
  return found === undefined ? null : idOf({ id: JSON.parse(found) });
}

const LINE_FEED = 0x0a;
/** The start and the end of a line that is too long, to find its request id. */
const KEPT_END_BYTES = 4096;

export type Line =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'too-long'; readonly head: string; readonly tail: string };

/** Splits a byte stream into lines. Of a line over the limit it keeps only the start and the end. */
export class LineSplitter {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #length = 0;

  /** @param limit the maximum length of a line in bytes, without its line feed */
  constructor(limit: number) {
    this.#limit = limit;
  }

  split(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#keep(chunk.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#length += part.length;
    this.#chunks.push(part);
    if (this.#length <= this.#limit) return;
    const kept = Buffer.concat(this.#chunks);
    this.#chunks =
      kept.length <= 2 * KEPT_END_BYTES
        ? [kept]
        : [kept.subarray(0, KEPT_END_BYTES), kept.subarray(-KEPT_END_BYTES)];
  }

  #take(): Line {
    const [only, second] = this.#chunks;
    const line = only !== undefined && second === undefined ? only : Buffer.concat(this.#chunks);
    const tooLong = this.#length > this.#limit;
    this.#chunks = [];
    this.#length = 0;
    if (!tooLong) return { kind: 'line', text: line.toString('utf8') };
    return {
      kind: 'too-long',
      head: line.subarray(0, KEPT_END_BYTES).toString('utf8'),
      tail: line.subarray(-KEPT_END_BYTES).toString('utf8'),
    };
  }
}

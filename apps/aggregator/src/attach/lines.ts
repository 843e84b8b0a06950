const LINE_FEED = 0x0a;

/** Splits a byte stream into lines, without their line feeds. */
export class Lines {
  #chunks: Buffer[] = [];

  *split(chunk: Buffer): Generator<string> {
    let rest = chunk;
    for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED)) {
      this.#chunks.push(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      const line = Buffer.concat(this.#chunks).toString('utf8');
      this.#chunks = [];
      yield line;
    }
    if (rest.length > 0) this.#chunks.push(rest);
  }
}

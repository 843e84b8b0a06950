/** Streams whose reader may leave. */
const guarded = new WeakSet<NodeJS.WriteStream>();

/** The log's place. A reader that leaves it is no reason to end: what it would have read is lost. */
export function standardError(): NodeJS.WriteStream {
  return withoutReaderToo(process.stderr);
}

/** What a person asked for. Nobody listens for its errors but who writes JSON-RPC on it. */
export function standardOutput(): NodeJS.WriteStream {
  return withoutReaderToo(process.stdout);
}

/** Not before something is written, since opening a stream costs milliseconds of a start. */
function withoutReaderToo(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  if (guarded.has(stream)) return stream;
  guarded.add(stream);
  return stream.on('error', () => undefined);
}

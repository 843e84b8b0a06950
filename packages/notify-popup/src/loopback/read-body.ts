import type { IncomingMessage } from 'node:http';

/** Bytes: ten thousand characters of any script, escaped, several times over. */
const MOST = 256 * 1024;

/** @returns undefined where it is too long */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const BYTES_PER_KIB = 1024;
/** From this part of the limit on, the page counts. */
const NEAR = 0.9;
/** The browser sends no more when a page ends. */
const MAX_LAST_BYTES = 60_000;

const max = Number(document.body.dataset.textBytes);
const encoder = new TextEncoder();
const bytesOf = (text) => encoder.encode([text].flat().join('\n')).length;
const kib = (bytes) => Math.ceil(bytes / BYTES_PER_KIB);

/** @returns what to say of the length of a text; '' if it is far from the limit */
export function lengthNotice(text) {
  const bytes = bytesOf(text);
  if (bytes < NEAR * max) return '';
  const count = `${kib(bytes)} of ${kib(max)} KiB.`;
  return bytes > max ? `${count} Shorten the text to send it.` : count;
}

export const isTooLong = (text) => bytesOf(text) > max;

/** What is kept of a text, or of several: its beginning, to the limit. */
export function kept(text) {
  if (!isTooLong(text)) return text;
  if (Array.isArray(text)) return text.map((each) => cut(each, Math.floor(max / text.length) - 1));
  return cut(text, max);
}

/** @returns undefined if the browser would not send it */
export const atTheEnd = (text) => (bytesOf(text) > MAX_LAST_BYTES ? undefined : text);

function cut(text, bytes) {
  const { read } = encoder.encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}

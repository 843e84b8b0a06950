/** Controls but tab and line feed, bidi embeddings and overrides, zero-width characters that no script needs, tags. */
const ACTING =
  // oxlint-disable-next-line no-control-regex -- control characters are the subject
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u180E\u200B\u2028-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;

/** Marks stacked on one character; no script needs more than a few. */
const STACKED = /(\p{M}{4})\p{M}+/gu;

/** Makes what acts instead of showing visible, and cuts towers of combining marks, so that a text stays readable. */
export function tame(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(ACTING, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`)
    .replaceAll(STACKED, '$1');
}

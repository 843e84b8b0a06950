/**
 * Characters that act or hide instead of showing: controls but for the line feed, soft hyphens, bidi controls,
 * invisible operators, variation selectors but for text and emoji, Unicode tags.
 */
const ACTING =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- such characters are the subject
  /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFE00-\uFE0D\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E01EF}]/gu;

/** Joiners are letters' business in Persian and Indic scripts, and what binds emoji; elsewhere they only hide. */
const STRAY_JOINERS =
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}\uFE0F\p{EMod}])[\u200C\u200D]+|[\u200C\u200D](?=[\u200C\u200D])/gu;

/** What a person sees of a text is all there is of it: so a prompt that was read is the prompt that is sent. */
export function plainText(text: string): string {
  return text.replace(ACTING, '').replace(STRAY_JOINERS, '');
}

/** True where nothing is left to be seen: what is kept above for emoji and scripts shows nothing when it stands alone. */
export function isBlank(text: string): boolean {
  return /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u.test(plainText(text));
}

/**
 * Phrases of translated English, and British spellings, that no text of this project may contain. The sentences that
 * the contracts fix contain none of them.
 */
const PHRASES: readonly RegExp[] = [
  /where there (?:is|are|was|were)\b/,
  /(?<!there )(?:is|was) no (?!longer|further|more|less|later|earlier|different)/,
  /(?<!there )(?:are|were) no (?!longer|further|more|less|later|earlier|different)/,
  /\bas (?:it is|they are)(?=[.,;:)]|$)/,
  /\bof (?:its|their) own\b(?! size)/,
  /\bwhat (?:is|was) not\b/,
  /\bthat (?:is|are) not there\b/,
  /\bthere (?:is|are) of\b/,
  /\b(?:nobody|somebody)\b/,
  /\bwho(?:m)?ever\b/,
  /\b(?:is|are|was|were|be|unless) told\b/,
  /\b(?:is|are|was|were) (?:heard|said)\b/,
  /\bhears? of\b/,
  /\bmend(?:s|ed|ing)?\b/,
  /\bway on\b/,
  /\bthe way out\b/,
  /\b(?:go|goes|went|ends?) by (?:itself|themselves)\b/,
  /\bstands? in (?!for\b)/,
  /\bas it stands\b/,
  /\btaken port\b/,
  /\b(?:graver|gravest|milder|mildest)\b/,
  /\bfor want of\b/,
  /\bin the place of\b/,
  /\bthe whole of\b/,
  /\b(?:lies|lie|hangs|hang) (?:beside|on)\b/,
  /\bif need be\b/,
  /\blook(?:s|ed)? it up\b/,
  /\b(?:thereof|therein|wherein|whereof|hereby|anew)\b/,
  /\bsuch a one\b/,
  /\bbehaviour/,
  /\bcolour/,
  /\bcentre/,
  /\blicence/,
];

/** The forbidden phrases of a text with their lines, for example `line 3: "nobody"`. */
export function forbiddenPhrases(text: string): string[] {
  return text.split('\n').flatMap((line, index, lines) => {
    // A phrase may continue on the next line; a match that begins there belongs to that line.
    const joined = `${line.trimEnd()} ${(lines[index + 1] ?? '').replace(/^[\s*/>-]+/, '')}`;
    return PHRASES.flatMap((phrase) => {
      const match = new RegExp(phrase, 'i').exec(joined);
      return match !== null && match.index < line.trimEnd().length
        ? [`line ${index + 1}: "${match[0].trim()}"`]
        : [];
    });
  });
}

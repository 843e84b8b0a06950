/**
 * Phrases that stop a reader whose first language is not English, and British spellings, each with what to write instead. The
 * sentences that the contracts fix contain none of them.
 */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/where there (?:is|are|was|were)\b/, 'if there is'],
  [/(?<!there )(?:is|was) no (?!longer|further|more|less|later|earlier|different)/, 'is not a'],
  [/(?<!there )(?:are|were) no (?!longer|further|more|less|later|earlier|different)/, 'are not'],
  [/\bas (?:it is|they are)(?=[.,;:)]|$)/, 'unchanged'],
  [/\bof (?:its|their) own\b(?! size)/, 'own, separate'],
  [/\bwhat (?:is|was) not\b/, 'everything else'],
  [/\bthat (?:is|are) not there\b/, 'missing'],
  [/\bnobody\b/, 'no one'],
  [/\bsomebody\b/, 'someone, or the person or program by name'],
  [/\bwho(?:m)?ever\b/, 'the person or program that'],
  [/\b(?:is|are|was|were|be|unless) told\b/, 'gets, reads'],
  [/\b(?:is|are|was|were) (?:heard|said)\b/, 'reports, receives'],
  [/\bhears? of\b/, 'gets, receives'],
  [/\bmend(?:s|ed|ing)?\b/, 'correct'],
  [/\b(?:way on|the way out)\b/, 'the next step'],
  [/\b(?:go|goes|went|ends?) by (?:itself|themselves)\b/, 'automatically'],
  [/\bstands? in (?!for\b)/, 'is in'],
  [/\btaken port\b/, 'port in use'],
  [/\b(?:graver|gravest|milder|mildest)\b/, 'higher, lower (level)'],
  [/\b(?:lies|lie|hangs|hang) (?:beside|on)\b/, 'is next to, depends on'],
  [/\bbehaviour/, 'behavior'],
  [/\bcolour/, 'color'],
  [/\bcentre/, 'center'],
  [/\blicence/, 'license'],
];

/** The forbidden phrases of a text with their lines and what to write, for example `line 3: "nobody" → "no one"`. */
export function forbiddenPhrases(text: string): string[] {
  return text.split('\n').flatMap((line, index, lines) => {
    // A phrase may continue on the next line; a match that begins there belongs to that line.
    const joined = `${line.trimEnd()} ${(lines[index + 1] ?? '').replace(/^[\s*/>-]+/, '')}`;
    return PHRASES.flatMap(([phrase, better]) => {
      const match = new RegExp(phrase, 'i').exec(joined);
      return match !== null && match.index < line.trimEnd().length
        ? [`line ${index + 1}: "${match[0].trim()}" → "${better}"`]
        : [];
    });
  });
}

import { fold, INVISIBLE } from './fold.ts';

type Texts = readonly (string | undefined)[];

/**
 * Whether texts contain all words of a term, in any order, and its phrases in quotation marks. The words can be in different
 * texts. See {@link fold} for what does not matter.
 */
export function containing(term: string): (texts: Texts) => boolean {
  const visible = term.replaceAll(INVISIBLE, '');
  const words = Array.from(visible.matchAll(/["“”]([^"“”]+)["“”]|\S+/g), ([word, phrase]) =>
    fold(phrase ?? word),
  );
  return (texts) => {
    let missing = words;
    for (const text of texts) {
      if (text === undefined) continue;
      const folded = fold(text);
      if (missing.some((word) => folded.includes(word)))
        missing = missing.filter((word) => !folded.includes(word));
      if (missing.length === 0) break;
    }
    return missing.length === 0;
  };
}

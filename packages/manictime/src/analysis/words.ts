import { fold } from './fold.ts';

type Texts = readonly (string | undefined)[];

/**
 * Whether texts contain all words of a term, in any order, and its phrases in quotation marks. The words can be in different
 * texts. See {@link fold} for what does not matter.
 */
export function containing(term: string): (texts: Texts) => boolean {
  const words = Array.from(term.matchAll(/["“”]([^"“”]+)["“”]|\S+/g), ([word, phrase]) =>
    fold(phrase ?? word),
  );
  return (texts) => {
    const known = texts.filter((text) => text !== undefined).map(fold);
    return words.every((word) => known.some((text) => text.includes(word)));
  };
}

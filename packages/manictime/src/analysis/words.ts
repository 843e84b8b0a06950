import { remembered } from '../database/model/text.ts';
import { fold, INVISIBLE } from './fold.ts';

type Texts = readonly (string | undefined)[];

/**
 * Whether texts contain all words of a term, in any order, and its phrases in quotation marks. The words can be in different
 * texts. See {@link fold} for what does not matter.
 *
 * Names of programs, sites and files are few, so that each is compared once; titles and addresses are many.
 */
export function containing(term: string): (names: Texts, texts?: Texts) => boolean {
  const visible = term.replaceAll(INVISIBLE, '');
  const words = Array.from(visible.matchAll(/["“”]([^"“”]+)["“”]|\S+/g), ([word, phrase]) =>
    fold(phrase ?? word),
  );
  const missingIn = (text: string) => {
    const folded = fold(text);
    return words.filter((word) => !folded.includes(word));
  };
  const missingInName = remembered(missingIn);
  return (names, texts = []) => {
    let missing: readonly string[] = words;
    const look = (text: string | undefined, of: typeof missingIn) => {
      const without = text === undefined ? words : of(text);
      if (without.length < words.length) missing = missing.filter((word) => without.includes(word));
    };
    for (const name of names) look(name, missingInName);
    for (const text of texts) look(text, missingIn);
    return missing.length === 0;
  };
}

import { firstCodePoints } from '@deskside/core/text';

const MAX_PREVIEW_CODE_POINTS = 200;

/** What stands at the start of a line: headings, quotations, items of lists, task boxes. */
const LINE_START = /^\s*(?:(?:#{1,6}|>|[-*+]|\d{1,9}[.)])\s+)*(?:\[[ xX]\]\s+)?/;
const FENCE = /^\s*(?:```|~~~)/;
const LINK = /!?\[([^\]]*)\]\([^)]*\)/g;
/** Pairs around text. An underscore within a word is a letter. */
const EMPHASIS = [/(\*{1,3}|~~|`+)(?=[^\s*~`])(.+?)(?<=\S)\1/g, /(?<!\w)(_{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)/g];

const QUESTION_END = /[?？؟]["'”’»)\s]*$/;

/** Made for the first message: loading its rules costs 8 ms, which no start needs. */
let sentences: Intl.Segmenter | undefined;

/** A message on one line, for lists: the sentence that asks, else the first line, without the markers of Markdown. */
export function previewOf(message: string): string {
  const lines = plainLines(message);
  const segmenter = (sentences ??= new Intl.Segmenter(undefined, { granularity: 'sentence' }));
  const asking = lines
    .flatMap((line) => [...segmenter.segment(line)].map(({ segment }) => segment.trim()))
    .find((sentence) => QUESTION_END.test(sentence));
  return firstCodePoints(asking ?? lines[0] ?? message.trim(), MAX_PREVIEW_CODE_POINTS);
}

function plainLines(message: string): string[] {
  let isCode = false;
  return message
    .toWellFormed()
    .split('\n')
    .filter((line) => {
      const isFence = FENCE.test(line);
      if (isFence) isCode = !isCode;
      return !isCode && !isFence;
    })
    .map((line) => withoutEmphasis(line.replace(LINE_START, '').replaceAll(LINK, '$1')).trim())
    .filter((line) => line !== '');
}

function withoutEmphasis(line: string): string {
  return EMPHASIS.reduce((text, marker) => text.replaceAll(marker, '$2'), line);
}

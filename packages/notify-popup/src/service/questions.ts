import type { PartQuestion } from '@deskside/desktop';

interface Asked {
  readonly message: string;
  readonly questions?: readonly PartQuestion[];
}

const NOT_ANSWERED = '(not answered)';
const QUOTE = '> ';
/** Everything that a model could read as the start of a line. */
const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;

const headingOf = ({ question }: PartQuestion, index: number) =>
  `${index + 1}. ${question.replaceAll(/\s+/g, ' ').trim()}`;

/** All that is asked, as one text. */
export function askedText({ message, questions = [] }: Asked): string {
  return [message, ...(questions.length === 0 ? [] : ['']), ...questions.map(headingOf)].join('\n');
}

/**
 * The answers as one text. Each line that the person wrote is quoted, so that no answer can pass as a question.
 *
 * @param answers in the order of the questions; a blank one is missing
 * @returns '' if the person answered nothing
 */
export function answersText(questions: readonly PartQuestion[], answers: readonly string[]): string {
  if (answers.every((text) => text.trim() === '')) return '';
  return questions
    .flatMap((question, index) => {
      const answer = answers[index] ?? '';
      const lines = answer.split(LINE_BREAK).map((line) => `${QUOTE}${line}`);
      return [headingOf(question, index), ...(answer.trim() === '' ? [NOT_ANSWERED] : lines)];
    })
    .join('\n');
}

/** The answers that `answersText` joined. */
export function answersOf(questions: readonly PartQuestion[], text: string): readonly string[] {
  const answers: string[][] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith(QUOTE)) answers.at(-1)?.push(line.slice(QUOTE.length));
    else if (line !== NOT_ANSWERED) answers.push([]);
  }
  return questions.map((_, index) => answers[index]?.join('\n') ?? '');
}

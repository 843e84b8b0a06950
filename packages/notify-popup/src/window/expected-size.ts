import { callsOf } from '@deskside/desktop';
import type { PopupSpec, Question } from '../service/presenter.ts';
import { askedText } from '../service/questions.ts';
import type { WindowSize } from './driver.ts';

/** `height` is everything but the message. */
const QUESTION = { width: 500, height: 158, lineCharacters: 55 };
const SEVERAL = { ...QUESTION, height: 110 };
const NEWS = { width: 440, height: 109, lineCharacters: 48 };
/** Much text. */
const REVIEW = { width: 720, height: 600, lineCharacters: 80 };
const LINE_PX = 24;
const BLANK_LINE_PX = 10;
/** The box of one of several questions. */
const BOX_PX = 60;
/** A folded part above or below the message. */
const FOLDED_PX = 28;
const REPLIES_PX = 3;
const REPLY_ROW_PX = 36;
const CHOICE_PX = 29;
/** The width of a reply: its letters, its digit and its margins. */
const LETTER_PX = 7.5;
const REPLY_MARGINS_PX = 52;
const APPROVAL_PX = 36;
const ARGUMENT_LINE_PX = 23;
const MAX_HEIGHT_PX = 600;

/** About the size that the page will ask for: then the window jumps little. */
export function expectedSize({ question, history, drafts, missed }: PopupSpec): WindowSize {
  const { questions = [], approval } = question;
  const { width, height, lineCharacters } = formOf(question);
  const linesOf = (text: string) => Math.ceil(text.length / lineCharacters);
  const texts = askedText(question)
    .split('\n')
    .map((line) => (line === '' ? BLANK_LINE_PX : LINE_PX * linesOf(line)));
  const folded = [history, drafts, missed].filter(({ length }) => length > 0);
  const args = approval === undefined ? [] : callsOf(approval).flatMap((call) => call.arguments);
  const argumentLines = args.flatMap(({ value }) => value.split('\n').map(linesOf));
  const parts = [
    height,
    ...texts,
    FOLDED_PX * folded.length,
    ...[question, ...questions].map(repliesHeight),
    BOX_PX * questions.length,
    ...(approval === undefined ? [] : [APPROVAL_PX, approval.claim === undefined ? 0 : LINE_PX]),
    ...argumentLines.map((lines) => ARGUMENT_LINE_PX * Math.max(1, lines)),
  ];
  return {
    width,
    height: Math.min(
      MAX_HEIGHT_PX,
      parts.reduce((sum, part) => sum + part, 0),
    ),
  };
}

function formOf({ waitsForResponse, questions, approval }: Question): typeof QUESTION {
  if (!waitsForResponse) return NEWS;
  if (approval?.review !== undefined) return REVIEW;
  return questions === undefined ? QUESTION : SEVERAL;
}

function repliesHeight({ options = [], multiple }: Pick<Question, 'options' | 'multiple'>): number {
  if (options.length === 0) return 0;
  if (multiple === true) return CHOICE_PX * options.length;
  const widths = options.map(({ length }) => LETTER_PX * length + REPLY_MARGINS_PX);
  const rows = Math.ceil(widths.reduce((sum, width) => sum + width, 0) / QUESTION.width);
  return REPLIES_PX + REPLY_ROW_PX * rows;
}

import { callsOf, type InboxRequest } from '@deskside/desktop';
import { foldOf } from '@deskside/look';
import type { PopupSpec } from '../service/presenter.ts';
import type { Size } from '../x11/windows.ts';

/** `height` is everything but the message. */
const QUESTION = { width: 500, height: 158, lineCharacters: 55 };
const SEVERAL = { ...QUESTION, height: 110 };
const NEWS = { width: 440, height: 109, lineCharacters: 48 };
/** Much text. */
const REVIEW = { width: 720, height: 600, lineCharacters: 80 };
const LINE_PX = 24;
const BLANK_LINE_PX = 10;
const HEADING_PX = 23;
const CODE_LINE_PX = 19;
const TABLE_HEAD_PX = 28;
const TABLE_ROW_PX = 30;
const TABLE_LINE_PX = 21;
/** A longer cell breaks its lines. */
const CELL_CHARACTERS = 42;
/** One of several questions: above it, and its box. */
const PART_PX = 62;
/** A folded part above or below the message. */
const FOLDED_PX = 28;
/** Chinese, Japanese and Korean letters, and what they take more than others. */
const WIDE = /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/gu;
const WIDE_SHARE = 0.9;
const REPLIES_PX = 2;
const REPLY_ROW_PX = 37;
const ROW_WIDTH_PX = 464;
const CHOICES_PX = 6;
const CHOICE_PX = 32.5;
const CHOICE_CHARACTERS = 48;
/** The width of a reply: its letters, its digit and its margins. */
const LETTER_PX = 7.5;
const REPLY_MARGINS_PX = 54;
const APPROVAL_PX = 36;
const ARGUMENT_LINE_PX = 23;
/** Folded to three lines. */
const LONG_VALUE_PX = 58;
/** The line that says what was not seen of an approval. */
const UNSEEN_PX = 38;
/** The list is unfolded in news. */
const MISSED_PX = 18;
const MISSED_LINE_PX = 20;
/** Of the time. */
const TIME_CHARACTERS = 14;

/** About the size that the page will ask for, if the screen is high enough: then the window jumps little. */
export function expectedSize({ question, history, drafts, missed }: PopupSpec): Size {
  const { questions = [], approval } = question;
  const { width, height, lineCharacters } = formOf(question);
  const { message, options } = askedIn(question);
  const args = approval === undefined ? [] : callsOf(approval).flatMap((call) => call.arguments);
  const long = args.filter(({ value }) => foldOf(value) !== undefined);
  const values = args.filter((arg) => !long.includes(arg)).flatMap(({ value }) => value.split('\n'));
  const folded = [history, drafts, missed].filter(({ length }) => length > 0);
  const parts = [
    height,
    textHeight(message, lineCharacters),
    repliesHeight(options, question.multiple),
    ...questions.flatMap((part) => [
      PART_PX,
      textHeight(part.question, lineCharacters),
      repliesHeight(part.options, part.multiple),
    ]),
    FOLDED_PX * folded.length,
    ...(approval === undefined ? [] : [APPROVAL_PX, approval.claim === undefined ? 0 : LINE_PX]),
    ARGUMENT_LINE_PX * sum(values.map((line) => linesOf(line, lineCharacters))),
    LONG_VALUE_PX * long.length,
    long.length > 0 ? UNSEEN_PX : 0,
    question.kind === 'news' ? missedHeight(missed) : 0,
  ];
  return { width, height: Math.ceil(sum(parts)) };
}

function formOf({ kind, questions, approval }: InboxRequest): typeof QUESTION {
  if (kind === 'news') return NEWS;
  if (approval?.review !== undefined) return REVIEW;
  return questions === undefined ? QUESTION : SEVERAL;
}

/** The numbered list after a question is its quick replies. */
function askedIn({ message, options, kind, questions }: InboxRequest) {
  const lines = message.trimEnd().split('\n');
  const first = lines.findLastIndex((line) => !/^\s*\d+[.)] /.test(line)) + 1;
  const text = lines.slice(0, first).join('\n').trimEnd();
  const isOpen = kind === 'question' && (options ?? questions) === undefined;
  const isList = isOpen && first < lines.length && /[?？]$/.test(text);
  return isList ? { message: text, options: lines.slice(first) } : { message, options };
}

/** Of Markdown, whose lines go on in the next one. */
function textHeight(text: string, lineCharacters: number): number {
  const blocks = text.trim().split(/\n\s*\n/);
  const heights = blocks.map((block) => {
    if (block.startsWith('#')) return HEADING_PX;
    if (block.startsWith('```')) return CODE_LINE_PX * (block.split('\n').length - 1);
    if (/^\|?[ :|-]+$/.test(block.split('\n')[1] ?? '')) return tableHeight(block.split('\n').slice(2));
    const lines = block.split(/\n(?=\s*(?:[>|]|[-*+] |\d+[.)] ))/);
    return LINE_PX * sum(lines.map((line) => linesOf(line, lineCharacters)));
  });
  return sum(heights) + BLANK_LINE_PX * (blocks.length - 1);
}

function missedHeight(missed: PopupSpec['missed']): number {
  const lines = missed.map(({ caller, firstLine }) =>
    linesOf(`${caller} ${firstLine}${' '.repeat(TIME_CHARACTERS)}`, NEWS.lineCharacters),
  );
  return sum(lines.map((count) => MISSED_PX + MISSED_LINE_PX * count));
}

function tableHeight(rows: readonly string[]): number {
  const lines = rows.map((row) => Math.max(...row.split('|').map((cell) => linesOf(cell, CELL_CHARACTERS))));
  return TABLE_HEAD_PX + sum(lines.map((count) => TABLE_ROW_PX + TABLE_LINE_PX * (count - 1)));
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function linesOf(text: string, lineCharacters: number): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return Math.max(1, Math.ceil((text.length + WIDE_SHARE * wide) / lineCharacters));
}

function repliesHeight(options: readonly string[] = [], multiple = false): number {
  if (options.length === 0) return 0;
  if (multiple) {
    const lines = sum(options.map((option) => linesOf(option, CHOICE_CHARACTERS)));
    return CHOICES_PX + CHOICE_PX * lines;
  }
  let rows = 1;
  let usedPx = 0;
  for (const { length } of options) {
    const px = LETTER_PX * length + REPLY_MARGINS_PX;
    const isNext = usedPx > 0 && usedPx + px > ROW_WIDTH_PX;
    rows += isNext ? 1 : 0;
    usedPx = isNext ? px : usedPx + px;
  }
  return REPLIES_PX + REPLY_ROW_PX * rows;
}
